import { type IssuerMetadataResult, type Openid4vciClient, Openid4vciVersion } from '@openid4vc/openid4vci'
import { WalletError } from '../protocol/wallet-error.js'
import { messageEncryption } from './message-encryption.js'

/** Whether an issuer is asked as OpenID4VCI 1.0 and its last draft have it: by configuration, with `proofs`. */
export const isModern = ({ originalDraftVersion: version }: IssuerMetadataResult): boolean =>
  version === Openid4vciVersion.V1 || version === Openid4vciVersion.Draft15

/**
 * An issuer's metadata. Where nothing in it tells OpenID4VCI 1.0 from its draft 14, as with an issuer of W3C
 * credentials alone, the library supposes the draft; an issuer that has a nonce endpoint is asked as 1.0 has it.
 *
 * @throws WalletError where the issuer demands what this wallet cannot do.
 */
export async function issuerMetadata(client: Openid4vciClient, issuer: string): Promise<IssuerMetadataResult> {
  const found = await client.resolveIssuerMetadata(issuer)
  const misjudged =
    found.originalDraftVersion === Openid4vciVersion.Draft14 && found.credentialIssuer.nonce_endpoint !== undefined
  const metadata = misjudged ? { ...found, originalDraftVersion: Openid4vciVersion.V1 } : found
  // Looked at before anything is spent.
  if (messageEncryption(metadata) !== undefined && !isModern(metadata))
    throw new WalletError('The issuer sends credentials encrypted only, as a draft has it, which is not supported.')
  return metadata
}
