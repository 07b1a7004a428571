import { randomUUID } from 'node:crypto'
import { preAuthorizedCodeGrantIdentifier } from '@openid4vc/oauth2'
import { Openid4vciIssuer, Openid4vciVersion } from '@openid4vc/openid4vci'
import type { JWK } from 'jose'
import { newRemoteKey, type RemoteKey, remoteCallbacks } from './wallet-callbacks.js'
import { type RemoteHandler, type SeenRequest, startRemoteServer } from './wallet-http.js'
import {
  createRemoteAuthorization,
  oauthRefusal,
  orRefusal,
  type RemoteAuthorization,
  type RemoteAuthorizationOptions,
} from './wallet-remote-authorization.js'
import {
  credentialSigner,
  DIPLOMA,
  DIPLOMA_JWT,
  DIPLOMA_MDOC,
  DIPLOMA_SD_JWT,
  remoteIssuerMetadata,
} from './wallet-remote-credentials.js'
import { deferring, type RemoteDeferral } from './wallet-remote-deferral.js'
import type { RemoteEncryption } from './wallet-remote-encryption.js'

export { DIPLOMA, DIPLOMA_DOCTYPE, DIPLOMA_JWT, DIPLOMA_MDOC, DIPLOMA_SD_JWT } from './wallet-remote-credentials.js'

/** The key or DID to which a credential is bound. */
export interface ProvenHolder {
  readonly publicJwk: JWK
  /** The DID that the proof named; undefined if the proof has only a `jwk`. */
  readonly did: string | undefined
}

/** Further members of the metadata, which may contain the issuer's address. */
type Members = Readonly<Record<string, unknown>> | ((url: string) => Readonly<Record<string, unknown>>)

const membersAt = (url: string, members: Members = {}) => (typeof members === 'function' ? members(url) : members)

export interface RemoteIssuerOptions extends Omit<RemoteAuthorizationOptions, 'identifiedConfigurations'> {
  readonly batchSize?: number
  /** The token response names credential identifiers, which the credential request must use. */
  readonly identifiers?: boolean
  /** Number of nonces that are refused as expired before a nonce is accepted. */
  readonly staleNonces?: number
  readonly bindingMethods?: readonly string[]
  /** Credentials are bound to no key: the metadata name no binding methods, and no proofs are accepted. */
  readonly unbound?: boolean
  /** Credentials are deferred. */
  readonly deferral?: RemoteDeferral
  /** Messages are encrypted. */
  readonly encryption?: RemoteEncryption
  /** Members that replace members of the metadata: an attack. */
  readonly metadata?: Members
  readonly serverMetadata?: Members
  /** The signed metadata (OpenID4VCI 1.0 §12.2.3), as a compact JWS. */
  readonly signedMetadata?: (url: string) => Promise<string>
  /**
   * A function that signs instead of this issuer. It makes a mobile document, or, as an attack, a credential that was
   * not requested.
   */
  readonly forge?: (issuer: RemoteIssuer, holder: ProvenHolder, format: string) => Promise<string>
  /** Handlers that replace the handlers of paths: an attack. */
  readonly replace?: Readonly<Record<string, RemoteHandler>>
}

/** A credential issuer that shares no code with the service: `@openid4vc/openid4vci`, `@sd-jwt/sd-jwt-vc`, jose. */
export interface RemoteIssuer extends AsyncDisposable {
  readonly url: string
  readonly key: RemoteKey
  readonly seen: readonly SeenRequest[]
  readonly notifications: readonly string[]
  /** Makes all access tokens invalid that were issued so far. */
  endAccessTokens(andRefreshTokens?: boolean): void
  /** `openid-credential-offer://` with the offer by value. */
  offer(configurationIds?: readonly string[]): Promise<string>
  /** Like `offer`, but with the offer by reference. */
  offerByReference(configurationIds?: readonly string[]): Promise<string>
  /** @param plain claims that are not selectively disclosable */
  signSdJwtVc(
    holder: JWK | undefined,
    claims?: Record<string, unknown>,
    vct?: string,
    plain?: Record<string, unknown>,
  ): Promise<string>
  signJwtVc(subject: string | undefined, extra?: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

const didJwkOf = (jwk: JWK) => `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`

export async function startRemoteIssuer(options: RemoteIssuerOptions = {}): Promise<RemoteIssuer> {
  const key = await newRemoteKey()
  const callbacks = remoteCallbacks(key)
  const library = new Openid4vciIssuer({ callbacks })
  const sign = credentialSigner(key)
  const offers = new Map<string, unknown>()
  const nonces = new Set<string>()
  const notifications: string[] = []
  let stale = options.staleNonces ?? 0
  let authorization: RemoteAuthorization | undefined

  const authenticate = (request: SeenRequest) => authorization?.authenticate(request)

  const resolvedMetadata = (url: string) => {
    const credentialIssuer = library.createCredentialIssuerMetadata(remoteIssuerMetadata(url, options))
    return {
      originalDraftVersion: Openid4vciVersion.V1,
      credentialIssuer,
      authorizationServers: authorization === undefined ? [] : [authorization.metadata],
      knownCredentialConfigurations: library.getKnownCredentialConfigurationsSupported(credentialIssuer),
    }
  }

  const configurationIdOf = (body: Record<string, unknown>): string | undefined => {
    if (options.identifiers !== true) return String(body.credential_configuration_id)
    return typeof body.credential_identifier === 'string' ? body.credential_identifier.split('/')[0] : undefined
  }

  const signFor = (url: string, holder: ProvenHolder, format: string): Promise<string> => {
    if (options.forge !== undefined) return options.forge(issuer, holder, format)
    if (format === 'dc+sd-jwt') return sign.signSdJwtVc(`${url}/vct/diploma`, holder.publicJwk, DIPLOMA)
    return sign.signJwtVc(holder.did ?? didJwkOf(holder.publicJwk))
  }

  const NOBODY: ProvenHolder = { publicJwk: {}, did: undefined }

  const unboundAnswer = async (url: string, body: Record<string, unknown>, id: string, format: string) => {
    if (body.proofs !== undefined || body.proof !== undefined) return oauthRefusal('invalid_proof', 'No proofs.')
    const compact =
      options.forge !== undefined
        ? await options.forge(issuer, NOBODY, format)
        : format === 'dc+sd-jwt'
          ? await sign.signSdJwtVc(`${url}/vct/diploma`, undefined, DIPLOMA)
          : await sign.signJwtVc(undefined)
    return { body: { credentials: [{ credential: compact }], notification_id: id } }
  }

  const credential = (url: string): RemoteHandler => {
    const issuerMetadata = resolvedMetadata(url)
    const holderOf = async (jwt: string, expectedNonce: string): Promise<ProvenHolder> => {
      const { signer } = await library.verifyCredentialRequestJwtProof({ issuerMetadata, expectedNonce, jwt })
      const did = signer.method === 'did' ? signer.didUrl.split('#')[0] : undefined
      return { publicJwk: signer.publicJwk as JWK, did }
    }
    return async (request) => {
      const refused = await authenticate(request)
      if (refused !== undefined) return refused
      const body: Record<string, unknown> & { readonly proofs?: { readonly jwt?: string[] } } = JSON.parse(request.text)
      const id = configurationIdOf(body) ?? ''
      const configuration = issuerMetadata.credentialIssuer.credential_configurations_supported[id]
      if (configuration === undefined) return oauthRefusal('invalid_credential_request', 'Use the identifier.')
      if (options.unbound === true) return unboundAnswer(url, body, id, configuration.format)
      const proofs = body.proofs?.jwt ?? []
      if (proofs.length === 0 || proofs.length > (options.batchSize ?? 1))
        return oauthRefusal('invalid_proof', 'Proofs.')
      const [, payload = ''] = (proofs[0] ?? '').split('.')
      const { nonce }: { nonce?: string } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
      if (nonce === undefined || !nonces.delete(nonce)) return oauthRefusal('invalid_nonce', 'The nonce is stale.')
      return orRefusal(async () => {
        const holders = await Promise.all(proofs.map((jwt) => holderOf(jwt, nonce)))
        const signed = await Promise.all(holders.map((holder) => signFor(url, holder, configuration.format)))
        return { body: { credentials: signed.map((compact) => ({ credential: compact })), notification_id: id } }
      })
    }
  }

  const nonce: RemoteHandler = () => {
    const value = randomUUID()
    if (stale > 0) stale -= 1
    else nonces.add(value)
    return { body: library.createNonceResponse({ cNonce: value }), headers: { 'cache-control': 'no-store' } }
  }

  const notification: RemoteHandler = async (request) => {
    const refused = await authenticate(request)
    if (refused !== undefined) return refused
    const { event, notification_id: id }: Record<string, string> = JSON.parse(request.text)
    notifications.push(`${id} ${event}`)
    return { status: 204 }
  }

  const issuing = (url: string): { credential: RemoteHandler; deferred?: RemoteHandler } => {
    const { deferral } = options
    return deferral === undefined ? { credential: credential(url) } : deferring(credential(url), authenticate, deferral)
  }

  const server = await startRemoteServer((url) => {
    const server = createRemoteAuthorization(url, callbacks, {
      ...options,
      identifiedConfigurations: options.identifiers === true ? [DIPLOMA_JWT, DIPLOMA_SD_JWT, DIPLOMA_MDOC] : [],
    })
    authorization = server
    const metadata = {
      ...remoteIssuerMetadata(url, options),
      ...options.encryption?.metadata,
      ...membersAt(url, options.metadata),
    }
    const encrypted = options.encryption?.around ?? ((handler: RemoteHandler) => handler)
    const endpoints = issuing(url)
    const { path = '' } = options
    return {
      ...server.routes,
      [`/.well-known/openid-credential-issuer${path}`]: async ({ headers }) =>
        options.signedMetadata !== undefined && headers.get('accept')?.includes('application/jwt') === true
          ? { body: await options.signedMetadata(url), headers: { 'content-type': 'application/jwt' } }
          : { body: metadata },
      // RFC 8414 §3.1: without the slash at the end of the path.
      [`/.well-known/oauth-authorization-server${path.replace(/\/$/, '')}`]: () => ({
        body: { ...server.metadata, ...membersAt(url, options.serverMetadata) },
      }),
      '/nonce': nonce,
      '/credential': encrypted(endpoints.credential),
      ...(endpoints.deferred === undefined ? {} : { '/deferred': encrypted(endpoints.deferred) }),
      '/notification': notification,
      '/offer': (request) => ({ body: offers.get(new URL(request.url, url).searchParams.get('id') ?? '') ?? {} }),
      ...options.replace,
    }
  })

  const preAuthorized = () => ({
    [preAuthorizedCodeGrantIdentifier]: {
      'pre-authorized_code': authorization?.newCode() ?? '',
      ...(options.txCode === undefined ? {} : { tx_code: { length: options.txCode.length } }),
    },
  })

  const newOffer = (configurationIds: readonly string[] = [DIPLOMA_JWT, DIPLOMA_SD_JWT]) =>
    library.createCredentialOffer({
      credentialConfigurationIds: [...configurationIds],
      grants:
        options.authorization === undefined
          ? preAuthorized()
          : { authorization_code: { issuer_state: 'state-of-the-issuer' } },
      issuerMetadata: resolvedMetadata(server.url),
    })

  const issuer: RemoteIssuer = {
    url: server.url,
    key,
    seen: server.seen,
    notifications,
    endAccessTokens: (andRefreshTokens) => authorization?.endAccessTokens(andRefreshTokens),
    offer: async (ids) => (await newOffer(ids)).credentialOffer,
    offerByReference: async (ids) => {
      const id = randomUUID()
      offers.set(id, (await newOffer(ids)).credentialOfferObject)
      return `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${server.url}/offer?id=${id}`)}`
    },
    signSdJwtVc: (holder, claims = DIPLOMA, vct = `${server.url}/vct/diploma`, plain = {}) =>
      sign.signSdJwtVc(vct, holder, claims, plain),
    signJwtVc: (subject, extra) => sign.signJwtVc(subject, extra),
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  }
  return issuer
}
