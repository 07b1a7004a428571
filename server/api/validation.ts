import { z } from 'zod'
import { shownName } from '../protocol/messages.js'

type RawIssue = z.core.$ZodRawIssue
type Issue = z.core.$ZodIssue

const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  null: 'null',
}

function tooSmall(issue: Extract<RawIssue, { code: 'too_small' }>): string {
  const minimum = Number(issue.minimum)
  if (issue.origin === 'string' || issue.origin === 'array') {
    if (minimum === 1) return 'must not be empty'
    return `must contain at least ${minimum} ${issue.origin === 'string' ? 'characters' : 'elements'}`
  }
  return `must be ${issue.inclusive === false ? 'greater than' : 'at least'} ${minimum}`
}

function tooBig(issue: Extract<RawIssue, { code: 'too_big' }>): string {
  const maximum = Number(issue.maximum)
  if (issue.origin === 'string') return `must contain at most ${maximum} characters`
  if (issue.origin === 'array') return `must contain at most ${maximum} elements`
  return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${maximum}`
}

/** Returns a validation message without its beginning, the path of the field. */
function predicate(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'must be defined'
      return `must be ${TYPE_WORDS[issue.expected] ?? `a ${issue.expected}`}`
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'invalid_value':
      if (issue.input === undefined) return 'must be defined'
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return issue.format === 'regex'
        ? `must match ${issue.pattern ?? 'its pattern'}`
        : `must be a valid ${issue.format}`
    case 'invalid_union':
      return 'has none of the accepted forms'
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    default:
      return undefined
  }
}

/**
 * Replaces Zod's default messages, which do not form a sentence after a field's path. A message in a contract still
 * takes precedence. The setting applies to the whole process: call this again after loading a library that sets its own
 * messages.
 */
export function installValidationMessages(): void {
  z.config({ customError: predicate })
}

installValidationMessages()

const pathOf = (path: readonly PropertyKey[]) => path.map(shownName).join('.')

/** Returns the depth of the deepest issue of a union's branch. */
function reachOf(issues: readonly Issue[]): number {
  let reach = 0
  for (const { path, code } of issues) reach = Math.max(reach, path.length + (code === 'unrecognized_keys' ? 1 : 0))
  return reach
}

/** Returns the messages of the branch whose issues are deepest. Most likely the caller meant this branch. */
function* ofUnion(issue: Extract<Issue, { code: 'invalid_union' }>, path: readonly PropertyKey[]): Generator<string> {
  const [first, ...others] = issue.errors
  const best = others.reduce((left, right) => (reachOf(right) > reachOf(left ?? []) ? right : left), first)
  if (best === undefined || reachOf(best) === 0) yield `${pathOf(path) || 'Request'} ${issue.message}`
  else for (const inner of withoutSizes(best)) yield* ofIssue(inner, path)
}

/**
 * Removes issues about the size of values that have the wrong type. Zod counts the characters of a text even if it
 * expects an array.
 */
function* withoutSizes(issues: readonly Issue[]): Generator<Issue> {
  const ofAnotherKind = new Set<string>()
  for (const issue of issues) {
    const path = issue.path.map(String).join('\0')
    if (issue.code === 'invalid_type') ofAnotherKind.add(path)
    else if ((issue.code === 'too_big' || issue.code === 'too_small') && ofAnotherKind.has(path)) continue
    yield issue
  }
}

function* ofIssue(issue: Issue, prefix: readonly PropertyKey[]): Generator<string> {
  const path = [...prefix, ...issue.path]
  if (issue.code === 'unrecognized_keys') for (const key of issue.keys) yield unknownProperty(key)
  else if (issue.code === 'invalid_union') yield* ofUnion(issue, path)
  else yield `${pathOf(path) || 'Request body'} ${issue.message}`
}

/** The message for a member that the contract does not know, at any depth. */
export const unknownProperty = (name: string): string => `property ${shownName(name)} should not exist`

/**
 * Makes the messages that the envelope contains after a failed validation. Each message starts with the failing field's
 * path (`query.0.fields must be an array`). The message for an unknown property at any depth is `property X should not
 * exist`. The generator makes each message on demand, since `errors.invalid` shows only the first messages.
 */
export function* validationMessages(error: { readonly issues: readonly Issue[] }): Generator<string> {
  for (const issue of withoutSizes(error.issues)) yield* ofIssue(issue, [])
}
