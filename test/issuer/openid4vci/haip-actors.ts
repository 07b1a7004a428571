import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createSigner, type Jwk, signCompact } from '../../../server/protocol/jose/jws.js'
import { certificateFiles, certify, HTTPS, intermediate, leafOf, root } from '../../agent/certified.js'
import type { Answer, ServiceOptions } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { type Issuer, SD_JWT, startIssuer } from './actors.js'
import { type Changes, popOf } from './attestation-actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from './browser.js'

export const CLIENT = 'https://pocket.example'

type Headers = Record<string, string>

const walletRoot = certify({ subject: 'Wallet root', ca: true, keyUsage: 0x04 })
const walletProvider = certify({ subject: 'Wallet provider', issuer: walletRoot, keyUsage: 0x80 })

const seconds = () => Math.floor(Date.now() / 1000)

const providerSigner = () => createSigner(walletProvider.privateKey.export({ format: 'jwk' }) as Jwk, 'unused')

/** Makes a wallet attestation that contains the provider's certificate (HAIP 1.0 §4.4.1). */
export async function attestationOf(instance: WalletActor, { header, payload }: Changes = {}): Promise<string> {
  return signCompact(
    await providerSigner(),
    { typ: 'oauth-client-attestation+jwt', kid: undefined, x5c: [walletProvider.x5c], ...header },
    { sub: CLIENT, exp: seconds() + 3_600, cnf: { jwk: instance.publicJwk }, ...payload },
  )
}

/** Makes a key attestation of the same provider (OpenID4VCI 1.0 Appendix D). */
export async function keyAttestationOf(attested: readonly WalletActor[], nonce: string): Promise<string> {
  return signCompact(
    await providerSigner(),
    { typ: 'key-attestation+jwt', kid: undefined, x5c: [walletProvider.x5c] },
    { iat: seconds(), exp: seconds() + 300, nonce, attested_keys: attested.map(({ publicJwk }) => publicJwk) },
  )
}

/** Makes the files that an installation needs for HAIP. */
export async function haipFiles() {
  const files = await certificateFiles()
  const anchors = join(files.directory, 'wallets.pem')
  await writeFile(anchors, String(walletRoot.certificate))
  const env = {
    ...HTTPS,
    ISSUER_X509: await files.fileOf([leafOf(), intermediate, root]),
    WALLET_TRUST_ANCHORS: anchors,
  }
  return { env, remove: files.remove }
}

/** Starts an installation that can issue under HAIP. Its address is public and https. */
export async function startHaip(
  env: Readonly<Record<string, string>> = { ISSUER_PROFILE: 'haip' },
  options: ServiceOptions = {},
) {
  const files = await haipFiles()
  const issuer = await startIssuer({ ...options, env: { ...files.env, ...env } })
  const wallet = await newHaipWallet(issuer)
  return {
    issuer,
    wallet,
    close: async () => {
      await issuer.service.close()
      await files.remove()
    },
  }
}

/** The parts of a wallet's request. A test can omit or replace a part. */
export interface Sent {
  readonly attestation?: Changes | null
  readonly pop?: Changes
  readonly dpop?: boolean
}

export type HaipWallet = Awaited<ReturnType<typeof newHaipWallet>>

/** A wallet that meets the requirements of HAIP 1.0. */
export async function newHaipWallet({ service, requestToken, nonce }: Issuer) {
  const base = service.config.issuerBaseUrl
  const instance = await newWallet()
  const key = await newWallet()
  const dpopFor = (path: string, token?: string): Promise<string> =>
    signCompact(
      key.signer,
      { typ: 'dpop+jwt', kid: undefined, jwk: key.publicJwk },
      {
        jti: crypto.randomUUID(),
        htm: 'POST',
        htu: `${base}${path}`,
        iat: seconds(),
        ...(token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
      },
    )
  const headersFor = async (path: string, { attestation = {}, pop, dpop = true }: Sent = {}): Promise<Headers> => {
    const { json } = await service.request('POST', '/openid4vci/challenge')
    const fresh = { challenge: json.attestation_challenge, ...pop?.payload }
    const attested =
      attestation === null
        ? {}
        : {
            'oauth-client-attestation': await attestationOf(instance, attestation),
            'oauth-client-attestation-pop': await popOf(instance, base, { ...pop, payload: fresh }),
          }
    return { ...attested, ...(dpop ? { dpop: await dpopFor(path) } : {}) }
  }
  const parametersOf = (changes: Headers = {}) => {
    const { verifier, challenge } = newPkce()
    const parameters = {
      client_id: CLIENT,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: SD_JWT,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...changes,
    }
    return { parameters, verifier }
  }
  const push = async (parameters: Headers, sent?: Sent): Promise<Answer> =>
    service.request('POST', '/openid4vci/par', {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(await headersFor('/openid4vci/par', sent)),
      },
      body: new URLSearchParams(parameters).toString(),
    })
  /** Gets a code for an offer, or for a request without an offer. */
  const code = async (changes: Headers = {}): Promise<{ code: string; verifier: string }> => {
    const { parameters, verifier } = parametersOf(changes)
    const pushed = await push(parameters)
    expect(pushed.status, pushed.text).toBe(201)
    const address = new URLSearchParams({ client_id: CLIENT, request_uri: pushed.json.request_uri })
    const browser = newBrowser(service)
    const { id, page } = await openPage(browser, `/openid4vci/authorize?${address}`)
    const response = responseOf(await browser.decide(page, id, 'accept'))
    expect(response.iss).toBe(base)
    return { code: response.code ?? '', verifier }
  }
  const redeem = async (granted: { code: string; verifier: string }, sent?: Sent): Promise<Answer> =>
    requestToken(
      {
        grant_type: 'authorization_code',
        code: granted.code,
        code_verifier: granted.verifier,
        redirect_uri: REDIRECT_URI,
      },
      { headers: await headersFor('/openid4vci/token', sent) },
    )
  const request = async (token: string, proofs: unknown, configuration = SD_JWT): Promise<Answer> =>
    service.request('POST', '/openid4vci/credential', {
      authorization: `DPoP ${token}`,
      headers: { dpop: await dpopFor('/openid4vci/credential', token) },
      body: { credential_configuration_id: configuration, proofs },
    })
  const take = async (token: string, by: 'jwk' | 'did' = 'jwk'): Promise<Answer> => {
    const holder = await newWallet()
    const fresh = await nonce()
    return request(token, { jwt: [await (by === 'jwk' ? holder.proof(base, fresh) : holder.proofByDid(base, fresh))] })
  }
  const refresh = async (token: string, sent?: Sent): Promise<Answer> =>
    requestToken(
      { grant_type: 'refresh_token', refresh_token: token },
      { headers: await headersFor('/openid4vci/token', sent) },
    )
  return { instance, key, headersFor, parametersOf, push, code, redeem, request, take, refresh }
}
