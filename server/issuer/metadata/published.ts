import type { Deps } from '../../deps.js'
import { authorizationServerMetadataOf, issuerMetadataOf, signedIssuerMetadataOf } from './issuer-metadata.js'

const textOf = async (metadata: Promise<Record<string, unknown>>): Promise<string> => JSON.stringify(await metadata)

/** Credential Issuer Metadata as JSON (OpenID4VCI 1.0 §12.2.4). */
export const issuerMetadata = (deps: Deps): Promise<string> =>
  deps.metadataTexts('issuer', () => textOf(issuerMetadataOf(deps)))

/** The same as a JWT (§12.2.3); its `iat` is at most an hour ago. */
export const signedIssuerMetadata = (deps: Deps): Promise<string> =>
  deps.metadataTexts('signed issuer', () => signedIssuerMetadataOf(deps))

/** Authorization Server Metadata as JSON (RFC 8414). */
export const authorizationServerMetadata = (deps: Deps): Promise<string> =>
  deps.metadataTexts('authorization server', () => textOf(authorizationServerMetadataOf(deps)))
