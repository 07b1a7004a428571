import { dcSdJwt } from './dc-sd-jwt/format.js'
import type { CredentialFormat, VerifiedFormat } from './format.js'
import { jwtVcJson } from './jwt-vc-json/format.js'
import { msoMdoc } from './mso-mdoc/format.js'

/** The formats of this service, in the order in which they are listed and tried. */
export const FORMATS = [dcSdJwt, jwtVcJson] as const

/** Those that it verifies when they are presented, and nothing else. */
export const ONLY_VERIFIED = [msoMdoc] as const

/** As first-party clients know them. */
export type FormatName = (typeof FORMATS)[number]['name']

/** Formats that verifiers can ask for, as first-party clients know them. */
export type VerifiedFormatName = FormatName | (typeof ONLY_VERIFIED)[number]['name']

export interface Formats {
  /** In the order in which they are listed and tried. */
  readonly all: readonly CredentialFormat[]
  /** The same, and those that are only verified. */
  readonly verified: readonly VerifiedFormat[]
  /** In the order in which they are offered: the primary one first. */
  readonly issued: readonly CredentialFormat[]
  /** The default format for issuance; the ids of its configurations are the names of their schemas. */
  readonly primary: CredentialFormat
  /** In the same order, as wallets of earlier drafts know them. */
  readonly former: readonly CredentialFormat[]
  /** @throws Error for a name that no contract lets through. */
  named(name: string): CredentialFormat
  /** A format that verifiers can ask for. @throws Error as above. */
  verifiedNamed(name: string): VerifiedFormat
  /** The first format that recognises a compact credential as its own; undefined where none does. */
  recognise(compact: string): CredentialFormat | undefined
  /** The format that a name stands for, today's or a former one; undefined where it is none. */
  known(name: unknown): CredentialFormat | undefined
  /** The format, a former one too, whose configurations' ids end so; undefined where there is none. */
  withSuffix(configurationSuffix: string): CredentialFormat | undefined
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
export function createFormats(all: readonly CredentialFormat[], onlyVerified: readonly VerifiedFormat[] = []): Formats {
  const names = new Map(all.map((format) => [format.name, format]))
  const verified = [...all, ...onlyVerified]
  const verifiedNames = byKey(verified, ({ name }) => name)
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
    verified,
    named: (name) => names.get(name) ?? thereIsNone(name),
    verifiedNamed: (name) => verifiedNames.get(name) ?? thereIsNone(name),
    recognise: (compact) => all.find(({ verifying }) => verifying.recognises(compact)),
    known: (name) => (typeof name === 'string' ? (names.get(name) ?? formerNames.get(name)) : undefined),
    withSuffix: (suffix) => suffixes.get(suffix),
  }
}

export const standardFormats = createFormats(FORMATS, ONLY_VERIFIED)
