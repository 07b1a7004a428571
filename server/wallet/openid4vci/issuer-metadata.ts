import { type IssuerMetadataResult, Openid4vciVersion } from '@openid4vc/openid4vci'
import type { OutboundFetch } from '../../outbound/guard.js'
import { isObject } from '../../protocol/json/json-object.js'
import { type Description, descriptionOf } from '../credentials/description.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { ClientFor } from './issuance-client.js'
import { demandsEncryption, messageEncryption } from './message-encryption.js'
import { metadataFetch, type OwnMetadata } from './metadata-documents.js'

/**
 * Whether an issuer accepts requests in the form of OpenID4VCI 1.0 and its last draft, with a configuration and
 * `proofs`.
 */
export const isModern = ({ originalDraftVersion: version }: IssuerMetadataResult): boolean =>
  version === Openid4vciVersion.V1 || version === Openid4vciVersion.Draft15

/** Metadata of an issuer, and how the issuer describes its offered configurations. */
export type DescribedMetadata = IssuerMetadataResult & {
  readonly descriptions?: ReadonlyMap<string, Description>
  /** `issuer_info` (ETSI TS 119 472-3 §4.2.3), as the issuer sent it. */
  readonly issuerInfo?: unknown
}

/** The descriptions of the offered configurations, by their ids. Drafts list configurations without ids as members. */
function descriptionsIn(document: unknown, offered: readonly string[]): ReadonlyMap<string, Description> {
  const { credential_configurations_supported: byId, display } = isObject(document) ? document : {}
  if (!isObject(byId)) return new Map()
  return new Map(
    offered.flatMap((id) => {
      const description = Object.hasOwn(byId, id) ? descriptionOf(byId[id], display) : undefined
      return description === undefined ? [] : [[id, description] as const]
    }),
  )
}

/** Dependencies of {@link createIssuerMetadata}. */
export interface IssuerMetadataPorts extends OwnMetadata {
  readonly clientFor: ClientFor
}

/**
 * Reads an issuer's metadata. Metadata with only W3C credentials may look the same in OpenID4VCI 1.0 and draft 14. The library then
 * assumes the draft; this function treats a nonce endpoint as a sign of 1.0.
 *
 * @param offered ids of the offered configurations; all others are ignored
 * @throws WalletError if the issuer requires a feature that this wallet does not support.
 */
export type ReadIssuerMetadata = ReturnType<typeof createIssuerMetadata>

/** Creates {@link ReadIssuerMetadata} from its dependencies. */
export function createIssuerMetadata({ clientFor, ...own }: IssuerMetadataPorts) {
  return async (fetch: OutboundFetch, issuer: string, offered: readonly string[]): Promise<DescribedMetadata> => {
    let descriptions: ReadonlyMap<string, Description> = new Map()
    let issuerInfo: unknown
    const read = metadataFetch(own, fetch, issuer, offered, (document) => {
      descriptions = descriptionsIn(document, offered)
      issuerInfo = isObject(document) ? document.issuer_info : undefined
    })
    const options = { fetch: read, signers: [], instanceKey: undefined }
    const found = await clientFor(options).client.resolveIssuerMetadata(issuer)
    const misjudged =
      found.originalDraftVersion === Openid4vciVersion.Draft14 && found.credentialIssuer.nonce_endpoint !== undefined
    const metadata = misjudged ? { ...found, originalDraftVersion: Openid4vciVersion.V1 } : found
    // This is checked before a code or nonce is used up.
    messageEncryption(metadata)
    if (demandsEncryption(metadata) && !isModern(metadata))
      throw new WalletError('The issuer encrypts all credentials in the way of a draft, which is not supported.')
    return { ...metadata, descriptions, issuerInfo }
  }
}
