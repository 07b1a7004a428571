import { createHash, randomBytes } from 'node:crypto'
import { type CallbackContext, clientAuthenticationAnonymous, type Jwk as LibraryJwk } from '@openid4vc/oauth2'
import { Openid4vciClient, Openid4vciWalletProvider, setGlobalConfig } from '@openid4vc/openid4vci'
import { compactVerify, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { installValidationMessages } from '../../../server/api/validation.js'

// The library changes Zod's messages for the whole process, so the service's messages in this process change too.
installValidationMessages()
setGlobalConfig({ allowInsecureUrls: true })

/** A key of the wallet, named by its JWK or by its did:jwk. */
export interface HolderKey {
  readonly privateJwk: JWK
  readonly publicJwk: JWK
  readonly did: string
}

export async function newHolderKey(): Promise<HolderKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const did = `did:jwk:${Buffer.from(JSON.stringify(publicJwk)).toString('base64url')}`
  return { privateJwk: await exportJWK(privateKey), publicJwk, did }
}

/** A wallet provider whose attestations the library makes. `x5c` certifies the provider. */
export interface Attester {
  readonly privateJwk: JWK
  readonly x5c: readonly string[]
  readonly keyStorage?: string[]
  readonly userAuthentication?: string[]
}

export interface Taking {
  readonly offer: string
  readonly keys: readonly HolderKey[]
  readonly named: 'by jwk' | 'by did'
  readonly txCode?: string | undefined
  /** The wallet asks only for these configurations, by authorization_details. */
  readonly authorizationDetails?: boolean
  /**
   * The wallet's keys are attested: either a proof of the first key contains the attestation, or the attestation is the
   * proof.
   */
  readonly attested?: { readonly by: Attester; readonly as: 'jwt' | 'attestation' }
  /** The wallet trusts a signer of metadata with a did:jwk, and asks for signed metadata. */
  readonly signedMetadata?: boolean
  /** The `fetch` for the wallet's requests; by default the platform's `fetch`. */
  readonly fetch?: typeof fetch
  /**
   * For a deferred offer: called when the wallet waits, after its first request has shown that the credential is not
   * ready.
   */
  readonly whileWaiting?: WhileWaiting
}

/** Called while a wallet waits. The wallet continues when this function resolves. */
export type WhileWaiting = (polled: { readonly interval: number | undefined }) => Promise<unknown>

/** Credentials that a wallet received for one configuration. */
export interface Taken {
  readonly format: string
  readonly credentials: readonly string[]
}

/** A `fetch` that asks for signed metadata. The library accepts signed metadata, but does not ask for them. */
const fetchSignedMetadata: typeof fetch = (input, init) =>
  String(input).includes('/.well-known/openid-credential-issuer')
    ? fetch(input, { ...init, headers: { accept: 'application/jwt' } })
    : fetch(input, init)

const verifyByDidJwk: NonNullable<CallbackContext['verifyJwt']> = async (signer, { compact }) => {
  if (signer.method !== 'did') return { verified: false }
  const [did = ''] = signer.didUrl.split('#')
  const jwk: JWK = JSON.parse(Buffer.from(did.slice('did:jwk:'.length), 'base64url').toString())
  await compactVerify(compact, await importJWK(jwk, signer.alg))
  return { verified: true, signerJwk: jwk as LibraryJwk }
}

const signedWith = async (privateJwk: JWK, header: Record<string, unknown>, payload: object): Promise<string> =>
  new SignJWT({ ...payload }).setProtectedHeader({ ...header, alg: 'ES256' }).sign(await importJWK(privateJwk, 'ES256'))

/** Makes the callbacks that the library needs from a wallet with these keys. */
export function libraryCallbacks(keys: readonly HolderKey[]) {
  const signJwt = async (publicJwk: JWK, header: Record<string, unknown>, payload: object) => {
    const key = keys.find((candidate) => candidate.publicJwk.x === publicJwk.x)
    if (key === undefined) throw new Error('The wallet has no such key.')
    return signedWith(key.privateJwk, header, payload)
  }
  const keyOf = (signer: { didUrl?: string; publicJwk?: unknown }) =>
    keys.find(({ did }) => signer.didUrl?.startsWith(`${did}#`))?.publicJwk ?? (signer.publicJwk as JWK)
  return {
    hash: (data: Uint8Array) => new Uint8Array(createHash('sha256').update(data).digest()),
    generateRandom: (length: number) => new Uint8Array(randomBytes(length)),
    clientAuthentication: clientAuthenticationAnonymous(),
    signJwt: async (signer, { header, payload }) => {
      const publicJwk = keyOf(signer as { didUrl?: string; publicJwk?: unknown })
      return { jwt: await signJwt(publicJwk, header, payload), signerJwk: publicJwk as LibraryJwk }
    },
  } satisfies Pick<CallbackContext, 'hash' | 'generateRandom' | 'clientAuthentication' | 'signJwt'>
}

/** Makes a key attestation with the library. */
function keyAttestation(
  { privateJwk, x5c, keyStorage, userAuthentication }: Attester,
  keys: readonly HolderKey[],
  nonce: string,
  as: 'jwt' | 'attestation',
): Promise<string> {
  const signJwt: CallbackContext['signJwt'] = async (_signer, { header, payload }) => ({
    jwt: await signedWith(privateJwk, header, payload),
    signerJwk: keys[0]?.publicJwk as LibraryJwk,
  })
  return new Openid4vciWalletProvider({ callbacks: { ...libraryCallbacks(keys), signJwt } }).createKeyAttestationJwt({
    signer: { method: 'x5c', alg: 'ES256', x5c: [...x5c] },
    use: `proof_type.${as}`,
    attestedKeys: keys.map(({ publicJwk }) => publicJwk as LibraryJwk),
    nonce,
    issuedAt: new Date(),
    ...(as === 'jwt' ? { expiresAt: new Date(Date.now() + 3_600_000) } : {}),
    ...(keyStorage === undefined ? {} : { keyStorage }),
    ...(userAuthentication === undefined ? {} : { userAuthentication }),
  })
}

/**
 * Version 0.4.6 of the library refuses a deferred response with both credentials and a `notification_id`. It should only refuse a
 * `notification_id` without credentials, and a later version corrects this. So the library receives the response without the id,
 * and `keep` receives the id.
 */
const withoutNotificationId =
  (transport: typeof fetch, keep: (notificationId: string | undefined) => void): typeof fetch =>
  async (input, init) => {
    const answer = await transport(input, init)
    if (!String(input).endsWith('/deferred-credential')) return answer
    const { notification_id: notificationId, ...body } = (await answer.json()) as { notification_id?: string }
    keep(notificationId)
    return Response.json(body, { status: answer.status })
  }

/** Takes a whole offer with an independent wallet (`@openid4vc/openid4vci`). Returns the credentials. */
export async function takeOffer({
  signedMetadata = false,
  offer,
  keys,
  named,
  txCode,
  authorizationDetails,
  fetch: transport = fetch,
  attested,
  whileWaiting,
}: Taking): Promise<Record<string, Taken>> {
  let deferredNotificationId: string | undefined
  const client = new Openid4vciClient({
    callbacks: {
      ...libraryCallbacks(keys),
      fetch: signedMetadata
        ? fetchSignedMetadata
        : withoutNotificationId(transport, (notificationId) => {
            deferredNotificationId = notificationId
          }),
      ...(signedMetadata ? { verifyJwt: verifyByDidJwk } : {}),
    },
  })
  const credentialOffer = await client.resolveCredentialOffer(offer)
  const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
  if (signedMetadata && issuerMetadata.signedCredentialIssuer === undefined)
    throw new Error('The metadata is not signed.')
  const configurations = credentialOffer.credential_configuration_ids
  const details = configurations.map((id) => ({ type: 'openid_credential', credential_configuration_id: id }))
  const { accessTokenResponse } = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({
    credentialOffer,
    issuerMetadata,
    ...(txCode === undefined ? {} : { txCode }),
    ...(authorizationDetails === true
      ? { additionalRequestPayload: { authorization_details: JSON.stringify(details) } }
      : {}),
  })
  const accessToken = accessTokenResponse.access_token
  const waitFor = async ({ transaction_id: transactionId = '' }: { transaction_id?: string | undefined }) => {
    const collect = async () =>
      (await client.retrieveDeferredCredentials({ issuerMetadata, accessToken, transactionId }))
        .deferredCredentialResponse
    const { interval, credentials } = await collect()
    if (credentials !== undefined) throw new Error('Nobody had decided.')
    await whileWaiting?.({ interval })
    return { ...(await collect()), notification_id: deferredNotificationId }
  }
  const taken: Record<string, Taken> = {}
  for (const credentialConfigurationId of configurations) {
    const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
    const attestation = attested === undefined ? undefined : await keyAttestation(attested.by, keys, nonce, attested.as)
    // One proof is enough for all attested keys.
    const proving = attestation === undefined ? keys : keys.slice(0, 1)
    const proofOf = async ({ publicJwk, did }: HolderKey) => {
      const signer =
        named === 'by jwk'
          ? { method: 'jwk' as const, publicJwk: publicJwk as LibraryJwk, alg: 'ES256' }
          : { method: 'did' as const, didUrl: `${did}#0`, alg: 'ES256' }
      const proof = await client.createCredentialRequestJwtProof({
        issuerMetadata,
        credentialConfigurationId,
        nonce,
        signer,
        ...(attestation === undefined ? {} : { keyAttestationJwt: attestation }),
      })
      return proof.jwt
    }
    const proofs =
      attested?.as === 'attestation'
        ? { attestation: [attestation ?? ''] }
        : { jwt: await Promise.all(proving.map(proofOf)) }
    const { credentialResponse } = await client.retrieveCredentials({
      issuerMetadata,
      accessToken,
      credentialConfigurationId,
      proofs,
    })
    const { credentials = [], notification_id: notificationId } =
      credentialResponse.transaction_id === undefined ? credentialResponse : await waitFor(credentialResponse)
    if (notificationId !== undefined) {
      await client.sendNotification({
        issuerMetadata,
        accessToken,
        notification: { notificationId, event: 'credential_accepted' },
      })
    }
    taken[credentialConfigurationId] = {
      format:
        issuerMetadata.credentialIssuer.credential_configurations_supported[credentialConfigurationId]?.format ?? '',
      credentials: credentials.map((entry) =>
        typeof entry === 'object' && 'credential' in entry ? String(entry.credential) : String(entry),
      ),
    }
  }
  return taken
}
