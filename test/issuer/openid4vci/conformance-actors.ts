import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { readX5c, verifyCertificateChain } from '../../../server/protocol/issuer-keys/certificate-chain.js'
import { signCompact } from '../../../server/protocol/jose/jws.js'
import { root } from '../../agent/certified.js'
import type { Answer } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { movingClock, SD_JWT, startIssuer } from './actors.js'
import { type Changes, popOf } from './attestation-actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from './browser.js'
import { attestationOf, haipFiles } from './haip-actors.js'

export type Parameters = Record<string, string>

export const PAR = '/openid4vci/par'
export const TOKEN = '/openid4vci/token'
export const CREDENTIAL = '/openid4vci/credential'

/** An attested wallet: its client id, the key of its instance, and the key for its tokens. */
export interface Client {
  readonly id: string
  readonly instance: WalletActor
  readonly key: WalletActor
}

export const newClient = async (id: string): Promise<Client> => ({
  id,
  instance: await newWallet(),
  key: await newWallet(),
})

/** The parts of a request in addition to its parameters. A test can change a part, or omit it with null. */
export interface Sent {
  readonly by?: Client
  readonly attestation?: Changes | null
  readonly pop?: Changes
  readonly dpop?: string | null
  /** Id of the offered configuration. */
  readonly type?: string
}

export interface Granted {
  readonly code: string
  readonly verifier: string
}

export type Suite = Awaited<ReturnType<typeof startSuite>>

/**
 * An installation under HAIP with two wallets that act like the wallets of the conformance suite.
 *
 * @param configuration the configuration that the wallets take by default
 */
export async function startSuite(configuration = SD_JWT) {
  const files = await haipFiles()
  const clock = movingClock()
  const issuer = await startIssuer({ env: { ...files.env, ISSUER_PROFILE: 'haip' }, clock: clock.now })
  const { service } = issuer
  const base = service.config.issuerBaseUrl
  const [first, second] = await Promise.all([newClient('https://wallet.example'), newClient('https://second.example')])
  const seconds = () => Math.floor(clock.now().getTime() / 1000)

  /** A DPoP proof (RFC 9449 §4.2). */
  const proofOf = (key: WalletActor, path: string, token?: string, { header, payload, by }: Changes = {}) =>
    signCompact(
      by ?? key.signer,
      { typ: 'dpop+jwt', kid: undefined, jwk: key.publicJwk, ...header },
      {
        jti: crypto.randomUUID(),
        htm: 'POST',
        htu: `${base}${path}`,
        iat: seconds(),
        ...(token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
        ...payload,
      },
    )

  const attested = async ({ by = first, attestation = {}, pop = {} }: Sent): Promise<Parameters> => {
    if (attestation === null) return {}
    const { json } = await service.request('POST', '/openid4vci/challenge')
    const fresh = { challenge: json.attestation_challenge, iat: seconds(), ...pop.payload }
    const claims = { sub: by.id, exp: seconds() + 300, ...attestation.payload }
    return {
      'oauth-client-attestation': await attestationOf(by.instance, { ...attestation, payload: claims }),
      'oauth-client-attestation-pop': await popOf(by.instance, base, { ...pop, payload: fresh }),
    }
  }
  const headersFor = async (path: string, sent: Sent): Promise<Parameters> => {
    const dpop = sent.dpop === undefined ? await proofOf((sent.by ?? first).key, path) : sent.dpop
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    return { ...form, ...(await attested(sent)), ...(dpop === null ? {} : { dpop }) }
  }
  /** Empty parameters are omitted. */
  const bodyOf = (parameters: Parameters) =>
    new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString()

  const issuerState = async (type: string): Promise<string> => {
    const made = await issuer.makeOffer({ credentialConfigurationIds: [type] })
    return made.credentialOffer.grants.authorization_code.issuer_state
  }
  /** Makes an authorization request for a new offer. */
  const newRequest = async (changes: Parameters = {}, { by = first, type = configuration }: Sent = {}) => {
    const { verifier, challenge } = newPkce()
    const parameters: Parameters = {
      client_id: by.id,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: configuration,
      state: 'state-of-the-wallet',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      issuer_state: changes.issuer_state ?? (await issuerState(type)),
      ...changes,
    }
    return { parameters, verifier }
  }
  const push = async (parameters: Parameters, sent: Sent = {}): Promise<Answer> =>
    service.request('POST', PAR, { headers: await headersFor(PAR, sent), body: bodyOf(parameters) })

  const addressOf = (parameters: Parameters): string => `/openid4vci/authorize?${new URLSearchParams(parameters)}`
  /** Pushes a request. Returns the address that the browser must open. */
  const pushed = async (changes: Parameters = {}, sent: Sent = {}, also: Parameters = {}) => {
    const { parameters, verifier } = await newRequest(changes, sent)
    const answer = await push(parameters, sent)
    expect(answer.status, answer.text).toBe(201)
    const { request_uri } = answer.json as { request_uri: string }
    return { verifier, request_uri, address: addressOf({ client_id: (sent.by ?? first).id, request_uri, ...also }) }
  }
  /** Returns the response that the wallet receives after the person has decided. */
  const decided = async (address: string, decision = 'accept'): Promise<Parameters> => {
    const browser = newBrowser(service)
    const { id, page } = await openPage(browser, address)
    expect(page.status, page.text).toBe(200)
    return responseOf(await browser.decide(page, id, decision))
  }
  const granted = async (changes: Parameters = {}, sent: Sent = {}): Promise<Granted> => {
    const { verifier, address } = await pushed(changes, sent)
    const { code = '' } = await decided(address)
    expect(code).toMatch(/^[\w-]{43}$/)
    return { code, verifier }
  }
  const requestToken = async (form: Parameters, sent: Sent = {}): Promise<Answer> =>
    service.request('POST', TOKEN, { headers: await headersFor(TOKEN, sent), body: bodyOf(form) })
  const redeem = ({ code, verifier }: Granted, sent: Sent = {}, changes: Parameters = {}): Promise<Answer> =>
    requestToken(
      {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: REDIRECT_URI,
        ...changes,
      },
      sent,
    )
  const tokens = async (changes: Parameters = {}, sent: Sent = {}) => {
    const answer = await redeem(await granted(changes, sent), sent)
    expect(answer.status, answer.text).toBe(200)
    return answer.json as { access_token: string; refresh_token: string; scope: string }
  }
  const keyProof = async (holder: WalletActor, changes: Changes = {}): Promise<string> =>
    holder.proof(base, await issuer.nonce(), { ...changes, payload: { iat: seconds(), ...changes.payload } })
  /** A separate schema. The subject is the subject of all offers in these tests. */
  const postSchema = async (name: string, members: object): Promise<void> => {
    const properties = { product: { type: 'string' }, price: { type: 'number' } }
    const authorization = await issuer.authorization()
    const body = { name, version: 1, schema: { type: 'object', properties }, ...members }
    const answer = await service.request('POST', '/schemas', { authorization, body })
    expect(answer.status, answer.text).toBe(201)
  }
  /** Makes an attestation of keys by the wallets' provider (OpenID4VCI 1.0 Appendix D.1). */
  const attestedKeys = async (holders: readonly WalletActor[]): Promise<string> =>
    attestationOf(first.instance, {
      header: { typ: 'key-attestation+jwt' },
      payload: {
        sub: undefined,
        cnf: undefined,
        iat: seconds(),
        nonce: await issuer.nonce(),
        key_storage: ['iso_18045_high'],
        attested_keys: holders.map(({ publicJwk }) => publicJwk),
      },
    })
  const requestCredential = async (token: string, body: object, changes: Parameters | null = {}, by: Client = first) =>
    service.request('POST', CREDENTIAL, {
      authorization: `DPoP ${token}`,
      headers: changes === null ? {} : { dpop: await proofOf(by.key, CREDENTIAL, token), ...changes },
      body,
    })
  /** Takes a credential for a new key, or a credential for each of several keys. */
  const take = async (token: string, changes: Parameters | null = {}, holders?: readonly WalletActor[]) => {
    const jwt = await Promise.all((holders ?? [await newWallet()]).map((holder) => keyProof(holder)))
    return requestCredential(token, { credential_configuration_id: configuration, proofs: { jwt } }, changes)
  }

  return {
    issuer,
    service,
    base,
    clock,
    first,
    second,
    proofOf,
    headersFor,
    newRequest,
    push,
    pushed,
    addressOf,
    decided,
    granted,
    requestToken,
    redeem,
    tokens,
    keyProof,
    configuration,
    postSchema,
    attestedKeys,
    requestCredential,
    take,
    close: async () => {
      await service.close()
      await files.remove()
    },
  }
}

/**
 * Returns the key of the first certificate in a header's x5c. Checks that the chain leads to the issuer's root and does
 * not contain the root (HAIP 1.0 §6.1.1).
 */
export function certifiedKey(x5c: unknown) {
  const chain = readX5c(x5c)
  expect(chain.some((certificate) => certificate.raw.equals(root.certificate.raw))).toBe(false)
  return verifyCertificateChain(chain, {
    trustAnchors: [root.certificate],
    now: new Date(),
    purpose: 'credential',
  }).jwk
}
