import type { Installation } from '../issuing.js'

type BaseUrl = Pick<Installation, 'issuerBaseUrl'>

/** The `vct` of a type of this installation: the address of its type metadata (SD-JWT VC, "SD-JWT VC Type Metadata"). */
export const vctOf = ({ issuerBaseUrl }: BaseUrl, name: string): string => `${issuerBaseUrl}/vct/${name}`

/** The type of this installation that a `vct` names; undefined for a foreign `vct`. */
export function typeOfVct(installation: BaseUrl, vct: string): string | undefined {
  const prefix = vctOf(installation, '')
  const name = vct.startsWith(prefix) ? vct.slice(prefix.length) : ''
  return /^[a-zA-Z0-9_]+$/.test(name) ? name : undefined
}
