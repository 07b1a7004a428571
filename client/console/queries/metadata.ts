import { queryOptions } from '@tanstack/react-query'
import { readDocument } from '../service.js'
import type { Configuration, Display } from './shapes.js'

export interface IssuerMetadata {
  readonly credential_issuer: string
  readonly display?: readonly Display[]
  readonly credential_configurations_supported: Readonly<Record<string, Configuration>>
}

/** The issuer metadata that wallets read. Every role may read it. */
export const issuerMetadata = queryOptions({
  queryKey: ['types', 'metadata'],
  queryFn: async ({ signal }) =>
    (await readDocument('/.well-known/openid-credential-issuer', signal)) as IssuerMetadata,
})
