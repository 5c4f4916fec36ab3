import { baseUrl } from '../catalog/base-url.js'
import { badUrl } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'

/** The base URL in its canonical spelling. Throws a ProblemError if the text is not a URL. */
export function checkedUrl(text: string): string {
  const read = baseUrl(text)
  if ('fault' in read) throw new ProblemError([badUrl(text, read.fault)])
  return read.url
}
