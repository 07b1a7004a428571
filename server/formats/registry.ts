import { dcSdJwt } from './dc-sd-jwt/format.js'
import type { CredentialFormat, IssuedFormat } from './format.js'
import { jwtVcJson } from './jwt-vc-json/format.js'
import { msoMdoc } from './mso-mdoc/format.js'

/** The formats of this service, in the order in which answers list them and unknown credentials are tried. */
export const FORMATS = [dcSdJwt, jwtVcJson, msoMdoc] as const

/** The name of a format, in the types of the API's clients. */
export type FormatName = (typeof FORMATS)[number]['name']

export interface Formats {
  /** In the order in which answers list them and unknown credentials are tried. */
  readonly all: readonly CredentialFormat[]
  /** The formats that can be issued, in the order in which offers list them: the primary format first. */
  readonly issued: readonly IssuedFormat[]
  /**
   * The format that is issued if a request names no format. The id of its credential configuration is the name of the
   * schema.
   */
  readonly primary: CredentialFormat
  /** The formats under their former names, for wallets of earlier drafts, in the order of `issued`. */
  readonly former: readonly IssuedFormat[]
  /** The format with this name. @throws Error for an unknown name. Contracts refuse an unknown name before. */
  named(name: string): CredentialFormat
  /** The first format that recognises a compact credential; undefined if no format does. */
  recognise(compact: string): CredentialFormat | undefined
  /** The format with this current or former name; undefined if there is none. */
  known(name: unknown): CredentialFormat | undefined
  /** The format, or former format, whose configuration ids have this suffix; undefined if there is none. */
  withSuffix(configurationSuffix: string): IssuedFormat | undefined
}

function byKey<Format>(formats: readonly Format[], keyOf: (format: Format) => string) {
  const map = new Map(formats.map((format) => [keyOf(format), format]))
  if (map.size < formats.length) throw new Error('Two credential formats share a name or a configuration suffix.')
  return map
}

function thereIsNone(name: string): never {
  throw new Error(`There is no credential format ${name}.`)
}

/** A registry of formats. A service has one registry; no other code lists the formats. */
export function createFormats(all: readonly CredentialFormat[]): Formats {
  const names = byKey(all, ({ name }) => name)
  const renamed = all.flatMap(({ former }) => former ?? [])
  const suffixes = byKey([...all, ...renamed], ({ issuing }) => issuing.configurationSuffix)
  const formerNames = new Map(
    all.flatMap((format) => format.holding.formerNames.map((name) => [name, format] as const)),
  )
  const primary = suffixes.get('')
  if (primary === undefined) throw new Error('No credential format is issued where nobody names one.')
  const issued = [primary, ...all.filter((format) => format !== primary)]
  return {
    all,
    issued,
    primary,
    former: issued.map((format) => format.former ?? format),
    named: (name) => names.get(name) ?? thereIsNone(name),
    recognise: (compact) => all.find(({ verifying }) => verifying.recognises(compact)),
    known: (name) => (typeof name === 'string' ? (names.get(name) ?? formerNames.get(name)) : undefined),
    withSuffix: (suffix) => suffixes.get(suffix),
  }
}

export const standardFormats = createFormats(FORMATS)
