import { randomUUID } from 'node:crypto'
import {
  type CallbackContext,
  Oauth2AuthorizationServer,
  Oauth2ServerErrorResponseError,
  preAuthorizedCodeGrantIdentifier,
} from '@openid4vc/oauth2'
import { type CredentialIssuerMetadata, Openid4vciIssuer } from '@openid4vc/openid4vci'
import { digest, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { type CryptoKey, importJWK, type JWK } from 'jose'
import { newRemoteKey, type RemoteKey, remoteCallbacks, signJwt } from './wallet-callbacks.js'
import { type RemoteAnswer, type RemoteHandler, type SeenRequest, startRemoteServer } from './wallet-http.js'

/** What a credential is to be bound to. */
export interface ProvenHolder {
  readonly publicJwk: JWK
  /** The DID that the proof named; undefined for a bare key. */
  readonly did: string | undefined
}

export interface RemoteIssuerOptions {
  readonly txCode?: string
  /** Access tokens are bound to a key, and every request needs a proof of possession with a server's nonce. */
  readonly dpop?: boolean
  readonly batchSize?: number
  /** Clients need no client identifier at the token endpoint. */
  readonly anonymous?: boolean
  /** Offers carry an authorization code grant; the endpoint lets everybody in at once, or shows a login page. */
  readonly authorization?: 'immediate' | 'login'
  /** The token response names credential identifiers, which the credential request must use. */
  readonly identifiers?: boolean
  /** How many nonces are refused as stale before one is good. */
  readonly staleNonces?: number
  readonly bindingMethods?: readonly string[]
  /** Members that replace those of the metadata: an attack. */
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly serverMetadata?: Readonly<Record<string, unknown>>
  /** Signs something else than was asked for: an attack. */
  readonly forge?: (issuer: RemoteIssuer, holder: ProvenHolder, format: string) => Promise<string>
  /** Handlers that replace those of a path: an attack. */
  readonly replace?: Readonly<Record<string, RemoteHandler>>
}

/** A credential issuer that shares no code with the service: `@openid4vc/openid4vci`, `@sd-jwt/sd-jwt-vc`, jose. */
export interface RemoteIssuer extends AsyncDisposable {
  readonly url: string
  readonly key: RemoteKey
  readonly seen: readonly SeenRequest[]
  readonly notifications: readonly string[]
  /** `openid-credential-offer://` with the offer by value. */
  offer(configurationIds?: readonly string[]): Promise<string>
  /** The same by reference. */
  offerByReference(configurationIds?: readonly string[]): Promise<string>
  signSdJwtVc(holder: JWK, claims?: Record<string, unknown>, vct?: string): Promise<string>
  signJwtVc(subject: string | undefined, extra?: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

export const DIPLOMA = { degree: 'Laurea', university: 'Torino' }
export const DIPLOMA_JWT = 'Diploma'
export const DIPLOMA_SD_JWT = 'Diploma-sd-jwt'

const now = () => Math.floor(Date.now() / 1000)

const refusal = (error: string, description: string, headers: Record<string, string> = {}): RemoteAnswer => ({
  status: error === 'invalid_token' ? 401 : 400,
  headers,
  body: { error, error_description: description },
})

function signers(key: RemoteKey) {
  return {
    async signSdJwtVc(vct: string, holder: JWK, claims: Record<string, unknown>): Promise<string> {
      const instance = new SDJwtVcInstance({
        signer: async (data) => {
          const { subtle } = globalThis.crypto
          const privateKey = (await importJWK(key.privateJwk, 'ES256')) as CryptoKey
          const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
          return Buffer.from(await subtle.sign(algorithm, privateKey, Buffer.from(data))).toString('base64url')
        },
        signAlg: 'ES256',
        hasher: digest,
        hashAlg: 'sha-256',
        saltGenerator: generateSalt,
      })
      const payload = { iss: key.did, iat: now(), vct, cnf: { jwk: holder }, ...claims }
      return instance.issue(payload, { _sd: Object.keys(claims) as never[] }, { header: { kid: key.kid } })
    },

    signJwtVc(subject: string | undefined, extra: Record<string, unknown> = {}): Promise<string> {
      const issuedAt = now()
      return signJwt(
        key,
        { kid: key.kid, typ: 'JWT' },
        {
          iss: key.did,
          nbf: issuedAt,
          jti: `urn:uuid:${randomUUID()}`,
          ...(subject === undefined ? {} : { sub: subject }),
          vc: {
            '@context': ['https://www.w3.org/2018/credentials/v1'],
            type: ['VerifiableCredential', DIPLOMA_JWT],
            issuer: key.did,
            issuanceDate: new Date(issuedAt * 1000).toISOString().replace('.000Z', 'Z'),
            credentialSubject: { ...(subject === undefined ? {} : { id: subject }), ...DIPLOMA },
          },
          ...extra,
        },
      )
    },
  }
}

function metadataOf(url: string, options: RemoteIssuerOptions): CredentialIssuerMetadata {
  const common = {
    cryptographic_binding_methods_supported: [...(options.bindingMethods ?? ['did:key', 'did:web', 'did:jwk', 'jwk'])],
    proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
    credential_metadata: { display: [{ name: 'Diploma', locale: 'en' }] },
  }
  return {
    credential_issuer: url,
    authorization_servers: [url],
    credential_endpoint: `${url}/credential`,
    nonce_endpoint: `${url}/nonce`,
    notification_endpoint: `${url}/notification`,
    ...(options.batchSize === undefined ? {} : { batch_credential_issuance: { batch_size: options.batchSize } }),
    credential_configurations_supported: {
      [DIPLOMA_JWT]: {
        format: 'jwt_vc_json',
        credential_definition: { type: ['VerifiableCredential', DIPLOMA_JWT] },
        ...common,
      },
      [DIPLOMA_SD_JWT]: { format: 'dc+sd-jwt', vct: `${url}/vct/diploma`, scope: 'diploma', ...common },
    },
  } as CredentialIssuerMetadata
}

function serverMetadataOf(url: string, options: RemoteIssuerOptions) {
  return {
    issuer: url,
    token_endpoint: `${url}/token`,
    authorization_endpoint: `${url}/authorize`,
    pushed_authorization_request_endpoint: `${url}/par`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    'pre-authorized_grant_anonymous_access_supported': options.anonymous ?? true,
    ...(options.dpop === true ? { dpop_signing_alg_values_supported: ['ES256'] } : {}),
  }
}

const DPOP_NONCE = 'a-nonce-of-the-server'

export async function startRemoteIssuer(options: RemoteIssuerOptions = {}): Promise<RemoteIssuer> {
  const key = await newRemoteKey()
  const callbacks: CallbackContext = remoteCallbacks(key)
  const library = new Openid4vciIssuer({ callbacks })
  const authorizationServer = new Oauth2AuthorizationServer({ callbacks })
  const codes = new Map<string, { used: boolean; challenge?: string; redirectUri?: string }>()
  const offers = new Map<string, unknown>()
  const tokens = new Map<string, string | undefined>()
  const nonces = new Set<string>()
  const notifications: string[] = []
  let stale = options.staleNonces ?? 0
  const sign = signers(key)

  const routes = (url: string): Record<string, RemoteHandler> => {
    const issuerMetadata = library.createCredentialIssuerMetadata(metadataOf(url, options))
    const serverMetadata = authorizationServer.createAuthorizationServerMetadata(serverMetadataOf(url, options))
    const resolved = {
      originalDraftVersion: 'V1' as never,
      credentialIssuer: issuerMetadata,
      authorizationServers: [serverMetadata],
      knownCredentialConfigurations: library.getKnownCredentialConfigurationsSupported(issuerMetadata),
    }

    /** The thumbprint that a proof of possession is made with; a refusal where there is none, or not with our nonce. */
    const provenDpop = async (
      request: SeenRequest,
      accessToken?: string,
    ): Promise<string | RemoteAnswer | undefined> => {
      if (options.dpop !== true) return undefined
      const jwt = request.headers.get('dpop')
      const wantsNonce = { 'dpop-nonce': DPOP_NONCE, 'www-authenticate': 'DPoP error="use_dpop_nonce"' }
      const asked = (error: string) =>
        accessToken === undefined
          ? refusal(error, 'A DPoP nonce is needed.', wantsNonce)
          : { ...refusal(error, 'A DPoP nonce is needed.', wantsNonce), status: 401 }
      if (jwt === null) return refusal('invalid_dpop_proof', 'A DPoP proof is needed.')
      try {
        const { jwkThumbprint } = await authorizationServer.verifyDpopJwt({
          dpopJwt: jwt,
          request: { method: 'POST', url: `${url}${request.path}`, headers: request.headers },
          expectedNonce: DPOP_NONCE,
          allowedSigningAlgs: ['ES256'],
          ...(accessToken === undefined ? {} : { accessToken }),
        })
        return jwkThumbprint
      } catch {
        return asked('use_dpop_nonce')
      }
    }

    const token: RemoteHandler = async (request) => {
      const form = Object.fromEntries(new URLSearchParams(request.text))
      const thumbprint = await provenDpop(request)
      if (typeof thumbprint === 'object') return thumbprint
      try {
        const parsed = authorizationServer.parseAccessTokenRequest({
          accessTokenRequest: form,
          request: { method: 'POST', url: `${url}/token`, headers: request.headers },
        })
        const { grant } = parsed
        const code = 'code' in grant ? grant.code : 'preAuthorizedCode' in grant ? grant.preAuthorizedCode : ''
        const known = codes.get(code)
        if (known === undefined || known.used) return refusal('invalid_grant', 'The code is used or unknown.')
        if (options.anonymous === false && form.client_id === undefined) {
          return refusal('invalid_client', 'A client_id is needed.')
        }
        const common = {
          request: { method: 'POST' as const, url: `${url}/token`, headers: request.headers },
          accessTokenRequest: parsed.accessTokenRequest,
          authorizationServerMetadata: serverMetadata,
        }
        if (grant.grantType === preAuthorizedCodeGrantIdentifier) {
          await authorizationServer.verifyPreAuthorizedCodeAccessTokenRequest({
            ...common,
            grant,
            expectedPreAuthorizedCode: code,
            ...(options.txCode === undefined ? {} : { expectedTxCode: options.txCode }),
          })
        } else if (grant.grantType === 'authorization_code') {
          await authorizationServer.verifyAuthorizationCodeAccessTokenRequest({
            ...common,
            grant,
            expectedCode: code,
            pkce: {
              codeChallenge: known.challenge ?? '',
              codeChallengeMethod: 'S256' as never,
              codeVerifier: parsed.pkceCodeVerifier ?? '',
            },
          })
          if (form.redirect_uri !== known.redirectUri) return refusal('invalid_grant', 'Another redirect_uri.')
        }
        known.used = true
        const accessToken = randomUUID()
        tokens.set(accessToken, thumbprint)
        return {
          body: {
            access_token: accessToken,
            token_type: thumbprint === undefined ? 'Bearer' : 'DPoP',
            ...(options.identifiers === true
              ? {
                  authorization_details: [DIPLOMA_JWT, DIPLOMA_SD_JWT].map((id) => ({
                    type: 'openid_credential',
                    credential_configuration_id: id,
                    credential_identifiers: [`${id}/first`],
                  })),
                }
              : {}),
          },
        }
      } catch (error) {
        if (error instanceof Oauth2ServerErrorResponseError) return { status: 400, body: error.errorResponse }
        throw error
      }
    }

    const authenticated = async (request: SeenRequest): Promise<RemoteAnswer | undefined> => {
      const [scheme, accessToken = ''] = (request.headers.get('authorization') ?? '').split(' ')
      if (!tokens.has(accessToken)) return refusal('invalid_token', 'The access token is unknown.')
      const bound = tokens.get(accessToken)
      if ((bound === undefined) !== (scheme === 'Bearer')) return refusal('invalid_token', 'The wrong scheme.')
      const proven = await provenDpop(request, accessToken)
      if (typeof proven === 'object') return proven
      return proven === bound ? undefined : refusal('invalid_token', 'The token is bound to another key.')
    }

    const configurationOf = (body: Record<string, unknown>): string | undefined => {
      if (options.identifiers !== true) return String(body.credential_configuration_id)
      return typeof body.credential_identifier === 'string' ? body.credential_identifier.split('/')[0] : undefined
    }

    const holderOf = async (jwt: string, expectedNonce: string): Promise<ProvenHolder> => {
      const { signer } = await library.verifyCredentialRequestJwtProof({ issuerMetadata: resolved, expectedNonce, jwt })
      return {
        publicJwk: signer.publicJwk as JWK,
        did: signer.method === 'did' ? signer.didUrl.split('#')[0] : undefined,
      }
    }

    const signFor = (holder: ProvenHolder, format: string): Promise<string> => {
      if (options.forge !== undefined) return options.forge(issuer, holder, format)
      if (format === 'dc+sd-jwt') return sign.signSdJwtVc(`${url}/vct/diploma`, holder.publicJwk, DIPLOMA)
      return sign.signJwtVc(
        holder.did ?? `did:jwk:${Buffer.from(JSON.stringify(holder.publicJwk)).toString('base64url')}`,
      )
    }

    const credential: RemoteHandler = async (request) => {
      const refused = await authenticated(request)
      if (refused !== undefined) return refused
      const body = JSON.parse(request.text) as Record<string, unknown>
      const configurationId = configurationOf(body)
      const configuration = issuerMetadata.credential_configurations_supported[configurationId ?? '']
      if (configuration === undefined) return refusal('invalid_credential_request', 'Use the credential_identifier.')
      const proofs = (body.proofs as { jwt?: string[] } | undefined)?.jwt ?? []
      if (proofs.length === 0 || proofs.length > (options.batchSize ?? 1)) return refusal('invalid_proof', 'Proofs.')
      const [, payload = ''] = (proofs[0] ?? '').split('.')
      const { nonce } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { nonce?: string }
      if (nonce === undefined || !nonces.delete(nonce)) return refusal('invalid_nonce', 'The nonce is stale.')
      try {
        const holders = await Promise.all(proofs.map((jwt) => holderOf(jwt, nonce)))
        const credentials = await Promise.all(holders.map((holder) => signFor(holder, configuration.format)))
        const notificationId = `${configurationId}`
        return {
          body: {
            credentials: credentials.map((compact) => ({ credential: compact })),
            notification_id: notificationId,
          },
        }
      } catch (error) {
        if (error instanceof Oauth2ServerErrorResponseError) return { status: 400, body: error.errorResponse }
        throw error
      }
    }

    const pushed = new Map<string, Record<string, string>>()
    const par: RemoteHandler = (request) => {
      const requestUri = `urn:ietf:params:oauth:request_uri:${randomUUID()}`
      pushed.set(requestUri, Object.fromEntries(new URLSearchParams(request.text)))
      return { status: 201, body: { request_uri: requestUri, expires_in: 60 } }
    }
    const authorize: RemoteHandler = (request) => {
      const query = new URL(request.url, url).searchParams
      const asked = pushed.get(query.get('request_uri') ?? '')
      if (asked === undefined) return refusal('invalid_request', 'Unknown request_uri.')
      if (options.authorization === 'login') {
        return { headers: { 'content-type': 'text/html' }, body: '<form>User name, password</form>' }
      }
      const code = randomUUID()
      codes.set(code, {
        used: false,
        challenge: asked.code_challenge ?? '',
        redirectUri: asked.redirect_uri ?? '',
      })
      const location = `${asked.redirect_uri}?${new URLSearchParams({ code, iss: url })}`
      return { status: 302, headers: { location } }
    }

    return {
      '/.well-known/openid-credential-issuer': () => ({ body: { ...issuerMetadata, ...options.metadata } }),
      '/.well-known/oauth-authorization-server': () => ({ body: { ...serverMetadata, ...options.serverMetadata } }),
      '/token': token,
      '/par': par,
      '/authorize': authorize,
      '/nonce': () => {
        const nonce = randomUUID()
        if (stale > 0) stale -= 1
        else nonces.add(nonce)
        return { body: library.createNonceResponse({ cNonce: nonce }), headers: { 'cache-control': 'no-store' } }
      },
      '/credential': credential,
      '/notification': async (request) => {
        const refused = await authenticated(request)
        if (refused !== undefined) return refused
        const { event, notification_id: id } = JSON.parse(request.text) as Record<string, string>
        notifications.push(`${id} ${event}`)
        return { status: 204 }
      },
      '/offer': (request) => ({ body: offers.get(new URL(request.url, url).searchParams.get('id') ?? '') ?? {} }),
      ...options.replace,
    }
  }

  const server = await startRemoteServer(routes)

  const newOffer = async (configurationIds: readonly string[] = [DIPLOMA_JWT, DIPLOMA_SD_JWT]) => {
    const code = randomUUID()
    codes.set(code, { used: false })
    const issuerMetadata = {
      originalDraftVersion: 'V1' as never,
      credentialIssuer: metadataOf(server.url, options),
      authorizationServers: [serverMetadataOf(server.url, options)],
      knownCredentialConfigurations: {},
    }
    const grants =
      options.authorization === undefined
        ? {
            [preAuthorizedCodeGrantIdentifier]: {
              'pre-authorized_code': code,
              ...(options.txCode === undefined ? {} : { tx_code: { length: options.txCode.length } }),
            },
          }
        : { authorization_code: { issuer_state: 'state-of-the-issuer' } }
    return library.createCredentialOffer({
      credentialConfigurationIds: [...configurationIds],
      grants,
      issuerMetadata: issuerMetadata as never,
    })
  }

  const issuer: RemoteIssuer = {
    url: server.url,
    key,
    seen: server.seen,
    notifications,
    offer: async (ids) => (await newOffer(ids)).credentialOffer,
    offerByReference: async (ids) => {
      const id = randomUUID()
      offers.set(id, (await newOffer(ids)).credentialOfferObject)
      return `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${server.url}/offer?id=${id}`)}`
    },
    signSdJwtVc: (holder, claims = DIPLOMA, vct = `${server.url}/vct/diploma`) => sign.signSdJwtVc(vct, holder, claims),
    signJwtVc: (subject, extra) => sign.signJwtVc(subject, extra),
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  }
  return issuer
}
