import { fullFormats } from 'ajv-formats/dist/formats.js'
import { RE2JS } from 're2js'
import type { Work } from '../work.js'

type Check = (text: string) => boolean

/** An entry of the table of ajv-formats. */
type Format = (typeof fullFormats)[keyof typeof fullFormats]

/**
 * Formats whose texts are always short, with the maximum of characters. The regular expressions of these formats
 * backtrack. Backtracking is fast on a short text, but takes polynomial time on a long text.
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

/** Formats that use the linear-time engine, since their texts may have any length, for example a data URI. */
const LONG_FORMATS = [
  'uri-reference',
  'uri-template',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
] as const

/** Cost of one check: some formats parse the text as a URL or a regular expression. */
const UNITS_PER_CHECK = 100
const UNITS_PER_CHARACTER = 2

const SCHEME = /^[a-z][a-z0-9+\-.]*:/i
const IRI_REFERENCE = /^[^\s<>"{}|\\^`\p{Cc}]*$/u
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const checks: Readonly<Record<string, Check>> = { ...shortChecks(), ...longChecks() }

const numberChecks: Readonly<Record<string, (value: number) => boolean>> = {
  int32: (value) => Number.isInteger(value) && value >= -(2 ** 31) && value <= 2 ** 31 - 1,
  int64: (value) => Number.isInteger(value),
  float: () => true,
  double: () => true,
}

/** The check of the keyword `format`. Every value that the format does not apply to passes the check. */
export type FormatCheck = (value: unknown, work: Work) => boolean

/**
 * The check of a format of draft-07 or 2020-12, or of a format that ajv-formats adds. Every check takes linear time.
 * The check spends units of `work`. An unknown format is not checked (see isFormat).
 */
export function formatCheck(name: string): FormatCheck {
  const ofNumber = Object.hasOwn(numberChecks, name) ? numberChecks[name] : undefined
  if (ofNumber !== undefined) return (value) => typeof value !== 'number' || ofNumber(value)
  const ofText = Object.hasOwn(checks, name) ? checks[name] : undefined
  if (ofText === undefined) return () => true
  return (value, work) => {
    if (typeof value !== 'string') return true
    work.spend(UNITS_PER_CHECK + UNITS_PER_CHARACTER * value.length)
    return ofText(value)
  }
}

/** Every known format. `password` and `binary` have nothing to check. */
export const formatNames: readonly string[] = [
  ...Object.keys(checks),
  ...Object.keys(numberChecks),
  'password',
  'binary',
]

/** Whether a schema may have this value of `format`. An unknown format would be a constraint that is never checked. */
export function isFormat(name: string): boolean {
  return formatNames.includes(name)
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

/** RFC 5890 §2.3.2.3, decided by the rules of the URL standard: labels that have an ASCII form. */
function isIdnHostname(text: string): boolean {
  return text.length > 0 && text.length <= 254 && !/[\s/?#@:[\]\\%]/u.test(text) && URL.canParse(`http://${text}`)
}

/** RFC 6531 §3.3: a local part that may hold any character beyond ASCII, and an internationalized host name. */
function isIdnEmail(text: string): boolean {
  if (text.length > 320) return false
  const at = text.lastIndexOf('@')
  return at > 0 && !/[\s@<>(),;:\\"[\]\p{Cc}]/u.test(text.slice(0, at)) && isIdnHostname(text.slice(at + 1))
}
