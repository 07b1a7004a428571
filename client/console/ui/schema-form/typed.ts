import { type Control, controlsOf, type JsonObject, type Part } from './plan.js'

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const valueAt = (subject: unknown, [name, ...rest]: readonly string[]): unknown =>
  name === undefined ? subject : valueAt(isObject(subject) ? subject[name] : undefined, rest)

/** A time with the zone of the browser, as a field for date and time shows it. */
function localTime(value: string): string {
  const at = new Date(value)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** The text of a claim in its field. */
function typedIn({ kind, choices }: Control, value: unknown): string {
  if (value === undefined || value === null) return ''
  switch (kind) {
    case 'choice': {
      const at = choices.indexOf(value)
      return at < 0 ? '' : String(at)
    }
    case 'dateTime':
      return localTime(String(value))
    case 'time':
      return String(value).replace(/Z$/, '')
    case 'lines':
    case 'numbers':
      return Array.isArray(value) ? value.join('\n') : ''
    case 'json':
      return JSON.stringify(value, undefined, 2)
    default:
      return String(value)
  }
}

/** The values of a form that shows the claims of a subject, by field. The opposite of `subjectOf`. */
export const typedOf = (parts: readonly Part[], subject: JsonObject): Record<string, string> =>
  Object.fromEntries(
    controlsOf(parts).map((control) => [control.field, typedIn(control, valueAt(subject, control.path))]),
  )

function without(subject: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const { [name]: member, ...others } = subject
  return rest.length === 0 || !isObject(member) ? others : { ...others, [name]: without(member, rest) }
}

const merged = (one: JsonObject, other: JsonObject): Record<string, unknown> => {
  const result: Record<string, unknown> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = result[name]
    result[name] = isObject(before) && isObject(value) ? merged(before, value) : value
  }
  return result
}

/** The subject of a filled form, with the claims of an earlier subject for which the form has no field. */
export const correctedSubject = (
  parts: readonly Part[],
  before: JsonObject,
  filled: JsonObject,
): Record<string, unknown> =>
  merged(
    controlsOf(parts).reduce((rest, { path }) => without(rest, path), before),
    filled,
  )
