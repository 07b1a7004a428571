import { queryOptions } from '@tanstack/react-query'
import { readDocument } from '../service.js'
import type { Configuration } from './shapes.js'

export interface IssuerMetadata {
  readonly credential_configurations_supported: Readonly<Record<string, Configuration>>
}

/** What wallets read of this issuer. Whoever may use the console may read it, whichever role they have. */
export const issuerMetadata = queryOptions({
  queryKey: ['types', 'metadata'],
  queryFn: async ({ signal }) =>
    (await readDocument('/.well-known/openid-credential-issuer', signal)) as IssuerMetadata,
})
