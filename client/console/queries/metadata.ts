import { queryOptions } from '@tanstack/react-query'
import { readDocument } from '../service.js'

/** How wallets may draw a credential, in one language. */
export interface Display {
  readonly name: string
  readonly locale?: string
  readonly background_color?: string
  readonly text_color?: string
}

/** Names, positions, and null for every element of an array (OpenID4VP 1.0 §7). */
export type ClaimsPath = readonly (string | number | null)[]

/** A credential configuration, as far as it is used here (OpenID4VCI 1.0 §12.2.4, Appendix A). */
export interface Configuration {
  readonly format: string
  readonly vct?: string
  readonly doctype?: string
  readonly credential_definition?: { readonly type: readonly string[] }
  readonly credential_metadata?: {
    readonly display?: readonly Display[]
    readonly claims?: readonly { readonly path: ClaimsPath; readonly display?: readonly Display[] }[]
  }
}

export interface IssuerMetadata {
  readonly credential_configurations_supported: Readonly<Record<string, Configuration>>
}

/** What wallets read of this issuer. Whoever may use the console may read it, whichever role they have. */
export const issuerMetadata = queryOptions({
  queryKey: ['types', 'metadata'],
  queryFn: async ({ signal }) =>
    (await readDocument('/.well-known/openid-credential-issuer', signal)) as IssuerMetadata,
})
