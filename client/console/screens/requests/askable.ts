import type { ClaimsPath, Configuration, Display } from '../../queries/shapes.js'

/** The formats that a request can ask for, in the order of the menu. */
export const FORMATS = ['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc'] as const
export type Format = (typeof FORMATS)[number]

/** A claim that can be asked for by its title. */
export interface AskableClaim {
  readonly path: ClaimsPath
  readonly display: readonly Display[] | undefined
}

/** A credential type of this installation in one format. */
export interface Askable {
  /** Id of the credential configuration. */
  readonly id: string
  readonly format: Format
  /** The type as credentials of the format name it: the vct, the type or the doctype. */
  readonly type: string
  readonly display: readonly Display[]
  readonly claims: readonly AskableClaim[]
}

export const isFormat = (name: string): name is Format => FORMATS.some((known) => known === name)

/**
 * The type that credentials of a configuration have: the vct, the doctype, or the most specific type of a W3C
 * credential.
 */
const typeOf = ({ vct, doctype, credential_definition: definition }: Configuration): string =>
  vct ?? doctype ?? definition?.type.at(-1) ?? ''

/** The types of this installation, with the formats and claims that a request can ask for. */
export function askables(configurations: Readonly<Record<string, Configuration>>): Askable[] {
  const found = Object.entries(configurations).flatMap(([id, configuration]): Askable[] => {
    const { format, credential_metadata: about } = configuration
    if (!isFormat(format)) return []
    const claims = (about?.claims ?? []).map(({ path, display }) => ({ path, display }))
    return [{ id, format, type: typeOf(configuration), display: about?.display ?? [], claims }]
  })
  return found.sort((one, other) => FORMATS.indexOf(one.format) - FORMATS.indexOf(other.format))
}

/** A claims path as a text for users: only the names, without the namespace of a mobile document. */
export function readable(path: ClaimsPath, format: Format): string {
  const isNested = format === 'mso_mdoc' || (format === 'jwt_vc_json' && path[0] === 'credentialSubject')
  const shown = isNested ? path.slice(1) : path
  return shown.map((part) => (part === null ? '*' : String(part))).join('.')
}
