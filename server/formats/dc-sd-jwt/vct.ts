import type { Installation } from '../issuing.js'

type BaseUrl = Pick<Installation, 'issuerBaseUrl'>

/** The `vct` of a type of this installation: the address of its type metadata (SD-JWT VC, "SD-JWT VC Type Metadata"). */
export const vctOf = ({ issuerBaseUrl }: BaseUrl, name: string): string => `${issuerBaseUrl}/vct/${name}`
