import { type CredenceError, isCredenceError } from '../index.js'

/** The error of a call, in words for a user. */
export interface Problem {
  /** HTTP status; undefined if the service was not reached. */
  readonly status: number | undefined
  /** The service's sentences, one for each error. */
  readonly messages: readonly string[]
  /** The certificates of a signer that is not trusted, if that is the reason. */
  readonly untrusted?: Untrusted
}

/** A signer that is not trusted, as the service names it. */
export type Untrusted = NonNullable<NonNullable<CredenceError['data']>['untrusted']>

export function problemOf(error: unknown): Problem {
  if (isCredenceError(error)) {
    const { data } = error
    if (data !== undefined && data !== null)
      return {
        status: data.httpStatus,
        messages: data.messages,
        ...(data.untrusted === undefined ? {} : { untrusted: data.untrusted }),
      }
    return { status: undefined, messages: [] }
  }
  return { status: undefined, messages: [error instanceof Error ? error.message : String(error)] }
}

/** A message that begins with the path of a field, as the service's contracts write it: `schema.title must be a string`. */
const ABOUT = /^([A-Za-z_$][\w$-]*(?:\.[\w$-]+)*):? (.+)$/s

/** Messages by field of a form, and the messages without a field. */
export interface Sorted {
  readonly byField: ReadonlyMap<string, string>
  readonly others: readonly string[]
}

/**
 * Assigns each message to a field of a form, if it is about a field.
 *
 * @param fieldOf returns the form's field for a path of the call's input; undefined if the form has no such field
 */
export function sortMessages(messages: readonly string[], fieldOf: (path: string) => string | undefined): Sorted {
  const byField = new Map<string, string>()
  const others: string[] = []
  for (const message of messages) {
    const [, path, sentence] = ABOUT.exec(message) ?? []
    const field = path === undefined ? undefined : fieldOf(path)
    if (field === undefined || sentence === undefined) others.push(message)
    else byField.set(field, byField.has(field) ? `${byField.get(field)}; ${sentence}` : sentence)
  }
  return { byField, others }
}
