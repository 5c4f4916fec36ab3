import type { Operation } from '../catalog/types.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import type { Mask } from '../ports/mask.js'
import { otherVocabulary } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'
import { maskedRefusal } from '../secrets/masked-body.js'
import { holdsNothing, isErrorInDisguise, readAnswer, readError } from './answer.js'
import type { ConnectInput } from './connect-input.js'
import { filledPath } from './nesting.js'
import type { RestResult, Session } from './session.js'
import type { Client, Outcome } from './types.js'
import { otherWordIn, spelledBody } from './vocabulary.js'

/** Sends one write and returns its outcome. */
export const createWrite =
  (session: Session, { vocabulary, mask }: Required<Pick<ConnectInput, 'vocabulary' | 'mask'>>): Client['write'] =>
  async (operation, ids, body, fields = []) => {
    const query = fields.length === 0 ? '' : `?fields=${fields.map(encodeURIComponent).join(',')}`
    const path = pathOf(operation, ids)
    if (path instanceof ProblemError) return { is: 'unreachable', message: path.message }
    const result = await session({
      method: operation.method,
      path: path + query,
      ...(body && { body: spelledBody(operation, body, vocabulary) }),
    })
    return withStatusMeant(operation, outcomeOf(result, vocabulary, mask))
  }

/**
 * An error with a status of success gets the status that its code names, so that a deleted object is recognised (A362). For a
 * create it is not known which of the two is meant (A2).
 */
function withStatusMeant({ method }: Operation, outcome: Outcome): Outcome {
  if (outcome.is !== 'refused' || outcome.status > 299 || method === 'POST') return outcome
  const { errorCode = '' } = outcome
  return /^[45]\d\d$/.test(errorCode) ? { ...outcome, status: Number(errorCode) } : outcome
}

/** An id that no path can contain fails its own change, not the run. */
function pathOf(operation: Operation, ids: Readonly<Record<string, string>>): string | ProblemError {
  try {
    return filledPath(operation.path, ids)
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
}

function outcomeOf(result: RestResult, vocabulary: Vocabulary, mask: Mask): Outcome {
  switch (result.is) {
    case 'answered':
      return answered(result.response, vocabulary, mask)
    case 'refused':
      // The credentials were refused: the platform would have answered 401.
      return {
        is: 'refused',
        status: 401,
        errorCode: undefined,
        message: result.problem.message,
        complaints: [],
        body: '',
      }
    case 'busy':
      return { is: 'busy', status: result.status, message: result.problem.message, afterMs: result.afterMs }
    case 'quota':
    case 'unreachable':
    case 'unknown':
      return { is: result.is, message: result.problem.message }
  }
}

function answered(
  response: Extract<RestResult, { is: 'answered' }>['response'],
  vocabulary: Vocabulary,
  mask: Mask,
): Outcome {
  if (response.status >= 200 && response.status <= 299) {
    const body = readAnswer(response.body)
    const objects = body.is === 'objects' ? body.objects : []
    if (!isErrorInDisguise(response, objects))
      return { is: 'done', objects, ...(holdsNothing(response) && { answer: 'empty' as const }) }
  }
  const { errorCode, message, complaints } = readError(response, mask.cutOff)
  return {
    is: 'refused',
    status: response.status,
    errorCode,
    message: withVocabulary(message, vocabulary),
    complaints,
    body: maskedRefusal(response.body, mask),
  }
}

/** The reason of a refusal; if it contains words of another vocabulary, also the name of that vocabulary. */
function withVocabulary(message: string, own: Vocabulary): string {
  const other = otherWordIn(message, own)
  if (!other) return message
  const problem = otherVocabulary(other.word, other.vocabulary, own)
  return `${message} (${problem.message}: ${problem.hint})`
}
