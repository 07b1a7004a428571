import { dcSdJwt } from './dc-sd-jwt/format.js'
import type { CredentialFormat, FormatNotHeld, IssuedFormat, VerifiedFormat } from './format.js'
import { jwtVcJson } from './jwt-vc-json/format.js'
import { msoMdoc } from './mso-mdoc/format.js'

/** The formats of this service, in the order in which they are listed and tried. */
export const FORMATS = [dcSdJwt, jwtVcJson] as const

/** Those that it issues, and verifies when they are presented; hosted wallets do not hold them. */
export const NOT_HELD = [msoMdoc] as const

/** As first-party clients know them. */
export type FormatName = (typeof FORMATS)[number]['name']

/** Formats that are issued and that verifiers can ask for, as first-party clients know them. */
export type IssuedFormatName = FormatName | (typeof NOT_HELD)[number]['name']
export type VerifiedFormatName = IssuedFormatName

export interface Formats {
  /** In the order in which they are listed and tried. */
  readonly all: readonly CredentialFormat[]
  /** The same, and those that are not held. */
  readonly verified: readonly VerifiedFormat[]
  /** In the order in which they are offered: the primary one first. */
  readonly issued: readonly IssuedFormat[]
  /** The default format for issuance; the ids of its configurations are the names of their schemas. */
  readonly primary: IssuedFormat
  /** In the same order, as wallets of earlier drafts know them. */
  readonly former: readonly IssuedFormat[]
  /** @throws Error for a name that no contract lets through. */
  named(name: string): CredentialFormat
  /** A format that verifiers can ask for. @throws Error as above. */
  verifiedNamed(name: string): VerifiedFormat
  /** A format that is issued. @throws Error as above. */
  issuedNamed(name: string): IssuedFormat
  /** The first format that recognises a compact credential as its own; undefined where none does. */
  recognise(compact: string): CredentialFormat | undefined
  /** The format that a name stands for, today's or a former one; undefined where it is none. */
  known(name: unknown): CredentialFormat | undefined
  /** The format, a former one too, whose configurations' ids end so; undefined where there is none. */
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

/** A registry of formats; a service has one, and nothing else knows which formats there are. */
export function createFormats(all: readonly CredentialFormat[], notHeld: readonly FormatNotHeld[] = []): Formats {
  const names = new Map(all.map((format) => [format.name, format]))
  const listed: readonly FormatNotHeld[] = [...all, ...notHeld]
  const listedNames = byKey(listed, ({ name }) => name)
  const renamed = listed.flatMap(({ former }) => former ?? [])
  const suffixes = byKey<IssuedFormat>([...listed, ...renamed], ({ issuing }) => issuing.configurationSuffix)
  const formerNames = new Map(
    all.flatMap((format) => format.holding.formerNames.map((name) => [name, format] as const)),
  )
  const primary = suffixes.get('')
  if (primary === undefined) throw new Error('No credential format is issued where nobody names one.')
  const issued = [primary, ...listed.filter((format) => format !== primary)]
  return {
    all,
    issued,
    primary,
    former: issued.map((format) => format.former ?? format),
    verified: listed,
    named: (name) => names.get(name) ?? thereIsNone(name),
    verifiedNamed: (name) => listedNames.get(name) ?? thereIsNone(name),
    issuedNamed: (name) => listedNames.get(name) ?? thereIsNone(name),
    recognise: (compact) => all.find(({ verifying }) => verifying.recognises(compact)),
    known: (name) => (typeof name === 'string' ? (names.get(name) ?? formerNames.get(name)) : undefined),
    withSuffix: (suffix) => suffixes.get(suffix),
  }
}

export const standardFormats = createFormats(FORMATS, NOT_HELD)
