import type { Format } from 'ajv'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { RE2JS } from 're2js'
import { Work } from './work.js'

type Check = (text: string) => boolean

/**
 * Formats whose texts are short by nature, with the most characters that one may have. Their expressions backtrack, which is
 * harmless on a short text and polynomial on a long one.
 */
const SHORT_FORMATS = {
  date: 10,
  time: 64,
  'date-time': 64,
  'iso-time': 64,
  'iso-date-time': 64,
  duration: 128,
  email: 320,
  hostname: 254,
  ipv4: 15,
  ipv6: 45,
  uuid: 45,
  regex: 1_000,
} as const

/** Formats whose expression is given to the linear-time engine, since their texts may be of any length (a data URI, say). */
const LONG_FORMATS = [
  'uri-reference',
  'uri-template',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
] as const

const UNITS_PER_CHARACTER = 4

const SCHEME = /^[a-z][a-z0-9+\-.]*:/i
const IRI_REFERENCE = /^[^\s<>"{}|\\^`\p{Cc}]*$/u
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const checks: Readonly<Record<string, Check>> = { ...shortChecks(), ...longChecks() }

/**
 * The formats of draft-07 and 2020-12 and those that ajv-formats adds to them. None takes more than linear time on any text;
 * each check is paid for from `work`.
 */
export function formatsFor(work: Work): Record<string, Format> {
  const { int32, int64, float, double, password, binary } = fullFormats
  const formats: Record<string, Format> = { int32, int64, float, double, password, binary }
  for (const [name, check] of Object.entries(checks)) {
    formats[name] = (text: string) => {
      work.spend(UNITS_PER_CHARACTER * text.length)
      return check(text)
    }
  }
  return formats
}

const formatNames: ReadonlySet<string> = new Set(Object.keys(formatsFor(new Work())))

/** Whether `format` may have this value. Another one would be a constraint that nothing checks. */
export function isFormat(name: string): boolean {
  return formatNames.has(name)
}

function shortChecks(): Record<string, Check> {
  const named = Object.entries(SHORT_FORMATS).map(([name, maxLength]): [string, Check] => {
    const check = checkOf(fullFormats[name as keyof typeof SHORT_FORMATS])
    return [name, (text) => text.length <= maxLength && check(text)]
  })
  return {
    ...Object.fromEntries(named),
    'idn-hostname': isIdnHostname,
    'idn-email': isIdnEmail,
  }
}

function longChecks(): Record<string, Check> {
  const linear = Object.fromEntries(LONG_FORMATS.map((name) => [name, linearCheck(fullFormats[name])]))
  const isUriReference = linear['uri-reference'] ?? (() => false)
  return {
    ...linear,
    uri: (text) => SCHEME.test(text) && isUriReference(text),
    'iri-reference': (text) => IRI_REFERENCE.test(text),
    iri: (text) => SCHEME.test(text) && IRI_REFERENCE.test(text),
    url: (text) => /^(?:https?|ftp):\/\//i.test(text) && IRI_REFERENCE.test(text) && URL.canParse(text),
    byte: (text) => text.length % 4 === 0 && BASE64.test(text),
  }
}

function checkOf(format: Format): Check {
  const validate: unknown = format instanceof RegExp || typeof format !== 'object' ? format : format.validate
  if (validate instanceof RegExp) return (text) => validate.test(text)
  if (typeof validate === 'function') return (text) => validate(text) === true
  throw new TypeError('A format must be an expression or a function.')
}

function linearCheck(format: Format): Check {
  if (!(format instanceof RegExp)) throw new TypeError('A format must be an expression.')
  const program = RE2JS.compile(RE2JS.translateRegExp(format))
  return (text) => program.test(text)
}

/** RFC 5890 §2.3.2.3, decided as the URL standard decides it: labels that have an ASCII form. */
function isIdnHostname(text: string): boolean {
  return text.length > 0 && text.length <= 254 && !/[\s/?#@:[\]\\%]/u.test(text) && URL.canParse(`http://${text}`)
}

/** RFC 6531 §3.3: a local part that may hold any character beyond ASCII, and an internationalized host name. */
function isIdnEmail(text: string): boolean {
  if (text.length > 320) return false
  const at = text.lastIndexOf('@')
  return at > 0 && !/[\s@<>(),;:\\"[\]\p{Cc}]/u.test(text.slice(0, at)) && isIdnHostname(text.slice(at + 1))
}
