import { createHash, randomUUID, X509Certificate } from 'node:crypto'
import { type Openid4vpAuthorizationRequest, Openid4vpClient } from '@openid4vc/openid4vp'
import { CompactEncrypt, importJWK, type JWK } from 'jose'
import type { Stage } from '../stage.js'
import { type Chosen, match } from './match.js'
import type { HeldCredential } from './receive.js'
import { verifySignature } from './verifier-key.js'
import type { Wallet } from './wallet.js'

/** The request from a verifier's QR code. The wallet has verified the verifier's signature. */
export interface ScannedRequest {
  readonly payload: Openid4vpAuthorizationRequest
  /** The verifier's client identifier with its prefix. */
  readonly verifier: string
}

const ENCRYPTION = {
  authorization_encryption_alg_values_supported: ['ECDH-ES'],
  authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
}

const now = () => Math.floor(Date.now() / 1000)

function clientOf(stage: Stage, { callbacks }: Wallet): Openid4vpClient {
  return new Openid4vpClient({
    callbacks: {
      ...callbacks,
      decryptJwe: () => ({ decrypted: false }),
      encryptJwe: async ({ publicJwk, alg, enc }, data) => {
        const { kid } = publicJwk
        const jwe = await new CompactEncrypt(new TextEncoder().encode(data))
          .setProtectedHeader({ alg, enc, ...(kid === undefined ? {} : { kid }) })
          .encrypt(await importJWK(publicJwk as JWK, alg))
        return { encryptionJwk: publicJwk, jwe }
      },
      verifyJwt: (signer, { compact }) => {
        if (signer.method !== 'did')
          throw new Error(`The wallet does not know verifiers that sign by ${signer.method}.`)
        return verifySignature(stage.fetch, signer.didUrl, compact)
      },
      getX509CertificateMetadata: (certificate) => {
        const names = new X509Certificate(Buffer.from(certificate, 'base64')).subjectAltName ?? ''
        return { sanDnsNames: names.match(/(?<=DNS:)[^,]+/g) ?? [], sanUriNames: names.match(/(?<=URI:)[^,]+/g) ?? [] }
      },
    },
  })
}

/** Fetches the signed request to which the content of a QR code points (OpenID4VP 1.0 §5). */
export async function scanRequest(stage: Stage, wallet: Wallet, content: string): Promise<ScannedRequest> {
  const client = clientOf(stage, wallet)
  const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: content })
  const request = await client.resolveOpenId4vpAuthorizationRequest({ authorizationRequestPayload: params })
  return {
    payload: request.authorizationRequestPayload as Openid4vpAuthorizationRequest,
    verifier: request.client.effective,
  }
}

/**
 * Makes the presentation of an SD-JWT VC: the chosen disclosures and a Key Binding JWT (OpenID4VP 1.0 Appendix B.3.6).
 */
async function sdJwtPresentation(wallet: Wallet, request: ScannedRequest, { credential, disclose }: Chosen) {
  const [jwt = '', ...disclosures] = credential.compact.split('~').slice(0, -1)
  const kept = disclosures.filter((part) => {
    const [, name] = JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown[]
    return disclose.includes(String(name))
  })
  const sdJwt = [jwt, ...kept, ''].join('~')
  const binding = {
    iat: now(),
    aud: request.verifier,
    nonce: request.payload.nonce,
    sd_hash: createHash('sha256').update(sdJwt).digest('base64url'),
  }
  return `${sdJwt}${await wallet.sign({ typ: 'kb+jwt' }, binding)}`
}

/** Makes a JWT presentation that contains the JWT VC (OpenID4VP 1.0 Appendix B.1.3.1.5). */
function vpJwtPresentation(wallet: Wallet, request: ScannedRequest, { credential }: Chosen): Promise<string> {
  const vp = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiablePresentation'],
    holder: wallet.did,
    verifiableCredential: [credential.compact],
  }
  const { nonce } = request.payload
  const jti = `urn:uuid:${randomUUID()}`
  const times = { nbf: now(), iat: now(), exp: now() + 300 }
  return wallet.sign(
    { typ: 'JWT', kid: wallet.kid },
    { iss: wallet.did, aud: request.verifier, nonce, jti, vp, ...times },
  )
}

/** The verifier's reply. */
export interface PresentationReply {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** Answers the request with the matching credentials, encrypted as the verifier asks (OpenID4VP 1.0 §8). */
export async function present(
  stage: Stage,
  wallet: Wallet,
  request: ScannedRequest,
  held: readonly HeldCredential[],
): Promise<PresentationReply & { readonly chosen: readonly Chosen[] }> {
  const client = clientOf(stage, wallet)
  const chosen = match(request.payload.dcql_query, held)
  const entries = chosen.map(async (one) => {
    const create = one.credential.format === 'dc+sd-jwt' ? sdJwtPresentation : vpJwtPresentation
    return [one.queryId, [await create(wallet, request, one)]] as const
  })
  const answer = await client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request.payload,
    authorizationResponsePayload: {
      vp_token: Object.fromEntries(await Promise.all(entries)) as Record<string, [string]>,
    },
    jarm: {
      encryption: { nonce: randomUUID() },
      serverMetadata: { authorization_signing_alg_values_supported: [], ...ENCRYPTION },
    },
  })
  const { response } = await client.submitOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request.payload,
    authorizationResponsePayload: answer.authorizationResponsePayload,
    ...(answer.jarm === undefined ? {} : { jarm: { responseJwt: answer.jarm.responseJwt } }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, chosen }
}
