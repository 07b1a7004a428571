import type { IssuerMetadataResult } from '@openid4vc/openid4vci'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { Grant, Session } from './issuance.js'
import type { ProofKey } from './proof-keys.js'
import type { WalletClient } from './wallet-client.js'

/** `proofs` of a Credential Request (OpenID4VCI 1.0 §8.2.1), all of one type. */
export interface Proofs {
  readonly jwt?: readonly string[]
  readonly attestation?: readonly string[]
}

type Metadata = Pick<IssuerMetadataResult, 'credentialIssuer'>

const memberOf = (value: unknown, name: string): JsonObject | undefined => {
  const member = isObject(value) ? value[name] : undefined
  return isObject(member) ? member : undefined
}

/** How an issuer wants keys proven (§12.2.4): the proof type, and whether a key attestation is required. */
function wayOf({ credentialIssuer }: Metadata, configurationId: string) {
  const types = memberOf(credentialIssuer.credential_configurations_supported[configurationId], 'proof_types_supported')
  const [jwt, attestation] = [memberOf(types, 'jwt'), memberOf(types, 'attestation')]
  // A signed proof shows that the wallet has the key; an attestation alone does not.
  if (jwt === undefined && attestation !== undefined) {
    return { type: 'attestation' as const, required: memberOf(attestation, 'key_attestations_required') ?? {} }
  }
  return { type: 'jwt' as const, required: memberOf(jwt, 'key_attestations_required') }
}

/** The reason why the keys of a configuration cannot be proven; undefined if there is no such reason. */
function obstacle(hasProvider: boolean, metadata: Metadata, configurationId: string): string | undefined {
  const { required } = wayOf(metadata, configurationId)
  if (required === undefined) return undefined
  if (!hasProvider) return 'The issuer demands a key attestation: WALLET_PROVIDER_X509 is not set.'
  const { key_storage: storage, user_authentication: authentication } = required
  return storage === undefined && authentication === undefined
    ? undefined
    : 'The issuer demands a level of key storage or user authentication, which nobody has attested to hosted wallets.'
}

/**
 * Checks that keys can be proven, before a code or nonce is used up.
 *
 * @throws WalletError if this fails for all configurations.
 */
export function assertProvable(
  { hasProvider }: Pick<WalletClient, 'hasProvider'>,
  metadata: Metadata,
  configurations: readonly { readonly configurationId: string }[],
): void {
  const obstacles = configurations.map(({ configurationId }) => obstacle(hasProvider, metadata, configurationId))
  const [first] = obstacles
  if (first !== undefined && obstacles.every((one) => one !== undefined)) throw new WalletError(first)
}

/** OpenID4VCI 1.0 §7: a nonce is valid for one request. In drafts, the token response contains the nonce. */
async function nonceFor({ client, metadata }: Session, { token }: Grant): Promise<string | undefined> {
  if (metadata.credentialIssuer.nonce_endpoint === undefined) return token.c_nonce
  return (await client.requestNonce({ issuerMetadata: metadata })).c_nonce
}

/** Dependencies of {@link createProofs}. */
export interface ProofsPorts {
  readonly wallet: Pick<WalletClient, 'attestKeys' | 'hasProvider'>
  readonly clock: () => Date
}

/**
 * Proves that the wallet has its keys (OpenID4VCI 1.0 Appendix F), with one proof for each key. If the issuer wants
 * attested keys, the wallet sends one proof with an attestation of all keys. The issuer then issues a credential for
 * each key.
 *
 * @throws WalletError if the issuer wants an attestation that this wallet does not have.
 */
export type ProveKeys = ReturnType<typeof createProofs>

/** Creates {@link ProveKeys} from its dependencies. */
export function createProofs({ wallet, clock }: ProofsPorts) {
  return async (
    session: Session,
    grant: Grant,
    configurationId: string,
    keys: readonly ProofKey[],
  ): Promise<Proofs> => {
    const { client, metadata } = session
    const refused = obstacle(wallet.hasProvider, metadata, configurationId)
    if (refused !== undefined) throw new WalletError(refused)
    const { type, required } = wayOf(metadata, configurationId)
    const nonce = await nonceFor(session, grant)
    const jwks = keys.map(({ key }) => key.signer.publicJwk)
    const attestation = required === undefined ? undefined : await wallet.attestKeys(jwks, nonce)
    if (type === 'attestation' && attestation !== undefined) return { attestation: [attestation] }
    const proving = attestation === undefined ? keys : keys.slice(0, 1)
    const proofs = await Promise.all(
      proving.map(({ signer }) =>
        client.createCredentialRequestJwtProof({
          issuerMetadata: metadata,
          credentialConfigurationId: configurationId,
          signer,
          issuedAt: clock(),
          ...(nonce === undefined ? {} : { nonce }),
          ...(grant.clientId === undefined ? {} : { clientId: grant.clientId }),
          ...(attestation === undefined ? {} : { keyAttestationJwt: attestation }),
        }),
      ),
    )
    return { jwt: proofs.map(({ jwt }) => jwt) }
  }
}
