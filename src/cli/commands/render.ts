import { unlessInterrupted } from '../../engine/interrupted.js'
import { renderProject } from '../../engine/render.js'
import { jsonText } from '../../json/json.js'
import { fileText } from '../../manifest/write/yaml-text.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/** `render [ADDRESS]`: prints the manifests after all layers, as YAML that gives the same plan. */
export async function renderCommand(
  options: GlobalOptions & { readonly address: string | undefined },
  io: Io,
): Promise<number> {
  const documents = await renderProject(options, options.address, io)
  const isJson = options.output === 'json'
  const text = isJson ? jsonText({ format: 'gatewright.manifests/1', documents }) : fileText(undefined, documents)
  await unlessInterrupted(io)
  io.stdout.write(text)
  return exit.done
}
