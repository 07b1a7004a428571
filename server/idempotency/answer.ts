import type { OtherForm, Outcome } from '../api/context.js'
import { ServiceError } from '../api/errors.js'
import { serviceErrorOf } from '../api/public-error.js'
import { transformer } from '../api/transformer.js'

/** The highest number of characters of a stored answer. */
export const MAX_ANSWER = 1_048_576

interface Refused {
  readonly status: number
  readonly messages: string | readonly string[]
}

interface StoredAnswer {
  /** The output in an envelope of superjson. */
  readonly output?: unknown
  readonly refused?: Refused
  readonly headers: readonly (readonly [string, string])[]
  readonly reply?: OtherForm['reply']
}

/** The parts of a context that belong to an answer. */
export interface AnswerParts {
  readonly responseHeaders: Map<string, string>
  readonly otherForm: OtherForm
}

/** The refusal in a failed outcome; undefined for a failure that another try may not have. */
export function refusalOf(outcome: Outcome): Refused | undefined {
  if (outcome.ok) return undefined
  const { status, messages } = serviceErrorOf(outcome.error) ?? { status: 500, messages: '' }
  return status >= 400 && status < 500 && status !== 429 ? { status, messages } : undefined
}

/** An outcome as it is stored; null if it has more than `most` characters. */
export function storedAnswer(
  outcome: Outcome,
  { responseHeaders, otherForm }: AnswerParts,
  most: number,
): string | null {
  const refused = refusalOf(outcome)
  const answer: StoredAnswer = {
    ...(outcome.ok ? { output: transformer.output.serialize(outcome.data) } : {}),
    ...(refused === undefined ? {} : { refused }),
    headers: [...responseHeaders],
    ...(otherForm.reply === undefined ? {} : { reply: otherForm.reply }),
  }
  const text = JSON.stringify(answer)
  return text.length > most ? null : text
}

/** The outcome of a stored answer. Headers and reply are set again. */
export function replayed(text: string, { responseHeaders, otherForm }: AnswerParts): Outcome {
  const { output, refused, headers, reply } = JSON.parse(text) as StoredAnswer
  for (const [name, value] of headers) responseHeaders.set(name, value)
  if (reply !== undefined) otherForm.reply = reply
  return refused === undefined
    ? { ok: true, data: transformer.output.deserialize(output) }
    : { ok: false, error: new ServiceError(refused.status, refused.messages) }
}
