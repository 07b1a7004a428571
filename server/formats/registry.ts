import { dcSdJwt } from './dc-sd-jwt/format.js'
import type { CredentialFormat, IssuedFormat } from './format.js'
import { jwtVcJson } from './jwt-vc-json/format.js'
import { msoMdoc } from './mso-mdoc/format.js'

/** The formats of this service, in the order in which they are listed and tried. */
export const FORMATS = [dcSdJwt, jwtVcJson, msoMdoc] as const

/** As first-party clients know them. */
export type FormatName = (typeof FORMATS)[number]['name']

export interface Formats {
  /** In the order in which they are listed and tried. */
  readonly all: readonly CredentialFormat[]
  /** In the order in which they are offered: the primary one first. */
  readonly issued: readonly IssuedFormat[]
  /** The default format for issuance; the ids of its configurations are the names of their schemas. */
  readonly primary: CredentialFormat
  /** In the same order, as wallets of earlier drafts know them. */
  readonly former: readonly IssuedFormat[]
  /** @throws Error for a name that no contract lets through. */
  named(name: string): CredentialFormat
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
