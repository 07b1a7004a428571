import { digest } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import {
  DIPLOMA,
  DIPLOMA_JWT,
  DIPLOMA_SD_JWT,
  type RemoteIssuer,
  startRemoteIssuer,
} from '../../support/remote-issuer.js'
import { type RemoteVerifier, startRemoteVerifier } from '../../support/remote-verifier.js'
import { startService, type TestService } from '../../support/service.js'
import { TWO_READINGS } from '../../support/two-readings.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../../support/wallet.js'
import { keyOfSigner } from '../../support/wallet-callbacks.js'

let service: TestService
let issuer: RemoteIssuer
let verifier: RemoteVerifier
let wallet: HostedWallet

beforeAll(async () => {
  issuer = await startRemoteIssuer({ batchSize: 3 })
  verifier = await startRemoteVerifier()
  service = await startService({ env: { ...LOOPBACK, VERIFIER_TRUST_ANCHORS: verifier.anchorFile } })
  wallet = await newWallet(service)
  const taken = await wallet.process(await issuer.offer())
  if (taken.status !== 200) throw new Error(taken.text)
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await verifier.close()
})

const sdJwtQuery = (more: Record<string, unknown> = {}) => ({
  credentials: [{ id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [`${issuer.url}/vct/diploma`] }, ...more }],
})

const jwtQuery = (more: Record<string, unknown> = {}) => ({
  credentials: [{ id: 'diploma', format: 'jwt_vc_json', meta: { type_values: [['Diploma']] }, ...more }],
})

function lastResponse() {
  const response = verifier.responses.at(-1)
  if (response === undefined) throw new Error('Nothing was presented.')
  return response
}

/** The presentation for the query `diploma`. */
const presented = () => String(lastResponse().presentations.diploma?.[0])

describe('a hosted wallet presents to an independent verifier (OpenID4VP 1.0)', () => {
  it('an SD-JWT VC with key binding that an independent library verifies', async () => {
    const answer = await wallet.process(await verifier.request(sdJwtQuery({ claims: [{ path: ['degree'] }] })))
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      type: 'authorization_request',
      redirectUri: 'https://verifier.example/done?response_code=1',
    })
    const { nonce, clientId, state } = lastResponse()
    const verify = async (data: string, signature: string, jwk: JWK) => {
      await compactVerify(`${data}.${signature}`, await importJWK(jwk, 'ES256'))
      return true
    }
    const library = new SDJwtVcInstance({
      hasher: digest,
      verifier: (data, signature) => verify(data, signature, issuer.key.publicJwk),
      kbVerifier: (data, signature, payload) => verify(data, signature, (payload.cnf as { jwk: JWK }).jwk),
    })
    const { payload, kb } = await library.verify(presented(), { keyBindingNonce: nonce })
    expect(kb?.payload).toMatchObject({ aud: clientId, nonce })
    expect(payload).toMatchObject({ degree: DIPLOMA.degree })
    // §6.4.1: claims that were not requested are not disclosed.
    expect(payload).not.toHaveProperty('university')
    expect(state).toBeDefined()
  })

  it('no selectively disclosable claim if the query names no claims (§6.4.1)', async () => {
    expect((await wallet.process(await verifier.request(sdJwtQuery()))).status).toBe(200)
    const [, ...rest] = presented().split('~')
    expect(rest).toHaveLength(1)
  })

  it('a VP JWT that is signed by the subject of its credential (Appendix B.1.3.1.5)', async () => {
    expect((await wallet.process(await verifier.request(jwtQuery()))).status).toBe(200)
    const { nonce, clientId } = lastResponse()
    const { kid = '' } = decodeProtectedHeader(presented())
    const key = await keyOfSigner({ method: 'did', didUrl: kid, alg: 'ES256' })
    await compactVerify(presented(), await importJWK(key, 'ES256'))
    const vp = decodeJwt<{ vp: { verifiableCredential: string[]; holder: string } }>(presented())
    expect(vp).toMatchObject({ iss: wallet.did, aud: clientId, nonce, vp: { holder: wallet.did } })
    const [credential = ''] = vp.vp.verifiableCredential
    expect(decodeJwt(credential)).toMatchObject({ sub: wallet.did, iss: issuer.key.did })
  })

  it('encrypts the response for the key of the request, if the request demands it (§8.3)', async () => {
    const answer = await wallet.process(await verifier.request(jwtQuery(), { mode: 'direct_post.jwt' }))
    expect(answer.status).toBe(200)
    expect(lastResponse().encrypted).toBe(true)
    const form = new URLSearchParams(verifier.seen.at(-1)?.text)
    expect([...form.keys()]).toEqual(['response'])
    expect(decodeProtectedHeader(form.get('response') ?? '')).toMatchObject({ alg: 'ECDH-ES', kid: 'response-key' })
  })

  it('gets the request object by POST with its own nonce, if the verifier supports it (§5.10)', async () => {
    expect((await wallet.process(await verifier.request(sdJwtQuery(), { method: 'post' }))).status).toBe(200)
    const posted = verifier.seen.findLast(({ path, method }) => path === '/request' && method === 'POST')
    const form = new URLSearchParams(posted?.text)
    expect(form.get('wallet_nonce')).toMatch(/^[\w-]{22}$/)
    expect(JSON.parse(form.get('wallet_metadata') ?? '{}')).toMatchObject({ response_types_supported: ['vp_token'] })
    // The message has no value that identifies the holder.
    expect(posted?.text).not.toContain(wallet.did)
  })

  it.each([['redirect_uri'], ['x509_san_dns'], ['x509_hash']] as const)(
    'answers a verifier of the prefix %s (§5.9.3)',
    async (prefix) => {
      const answer = await wallet.process(await verifier.request(sdJwtQuery(), { prefix }))
      expect([answer.status, answer.json.type]).toEqual([200, 'authorization_request'])
      expect(decodeJwt(presented().split('~').at(-1) ?? '').aud).toBe(lastResponse().clientId)
    },
  )

  it('answers a request of which only the https address is known', async () => {
    const uri = new URL(await verifier.request(sdJwtQuery())).searchParams.get('request_uri') ?? ''
    const answer = await wallet.process(uri)
    expect([answer.status, answer.json.type]).toEqual([200, 'authorization_request'])
  })

  it('answers a request in an https link', async () => {
    const uri = await verifier.request(sdJwtQuery())
    const answer = await wallet.process(uri.replace('openid4vp://', `${verifier.url}/authorize`))
    expect(answer.status).toBe(200)
  })

  it('answers a verifier of draft 24 with single presentations', async () => {
    const clientId = verifier.key.did
    const answer = await wallet.process(
      await verifier.request(sdJwtQuery(), { clientId, payload: { client_id: clientId, client_metadata: {} } }),
    )
    expect(answer.status).toBe(200)
    const token = JSON.parse(new URLSearchParams(verifier.seen.at(-1)?.text).get('vp_token') ?? '{}')
    expect(typeof token.diploma).toBe('string')
  })

  it('the credential alone if the query demands no proof of its holder (§6.1)', async () => {
    const unbound = { require_cryptographic_holder_binding: false }
    await wallet.process(await verifier.request(sdJwtQuery(unbound)))
    expect(presented().endsWith('~')).toBe(true)
    await wallet.process(await verifier.request(jwtQuery(unbound)))
    expect(decodeJwt(presented())).toHaveProperty('vc')
  })
})

describe('choosing credentials (OpenID4VP 1.0 §6.4)', () => {
  it('presents the first alternative that the wallet has', async () => {
    const unknown = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }
    const answer = await wallet.process(
      await verifier.request({
        credentials: [unknown, ...sdJwtQuery().credentials],
        credential_sets: [{ options: [['pid'], ['diploma']] }],
      }),
    )
    expect(answer.status).toBe(200)
    expect(Object.keys(lastResponse().presentations)).toEqual(['diploma'])
  })

  it('uses the first claim set that can be satisfied', async () => {
    const claims = [
      { id: 'a', path: ['grade'] },
      { id: 'b', path: ['university'] },
      { id: 'c', path: ['degree'] },
    ]
    await wallet.process(await verifier.request(sdJwtQuery({ claims, claim_sets: [['a'], ['b'], ['c']] })))
    const [, ...disclosures] = presented().split('~').slice(0, -1)
    const names = disclosures.map((disclosure) => JSON.parse(Buffer.from(disclosure, 'base64url').toString())[1])
    expect(names).toEqual(['university'])
  })

  it('presents a credential whose claim has one of the requested values', async () => {
    const wanted = (values: string[]) => sdJwtQuery({ claims: [{ path: ['degree'], values }] })
    expect((await wallet.process(await verifier.request(wanted(['Laurea', 'PhD'])))).status).toBe(200)
    expect((await wallet.process(await verifier.request(wanted(['PhD'])))).status).toBe(500)
  })

  it('presents several credentials for several queries', async () => {
    const both = [
      { ...sdJwtQuery().credentials[0], id: 'one' },
      { ...jwtQuery().credentials[0], id: 'two' },
    ]
    expect((await wallet.process(await verifier.request({ credentials: both }))).status).toBe(200)
    expect(Object.keys(lastResponse().presentations).sort()).toEqual(['one', 'two'])
  })

  it('omits a set that is not required', async () => {
    const [bare] = jwtQuery().credentials
    await wallet.process(
      await verifier.request({
        credentials: [...sdJwtQuery().credentials, { ...bare, id: 'extra' }],
        credential_sets: [{ options: [['diploma']] }, { options: [['extra']], required: false }],
      }),
    )
    expect(Object.keys(lastResponse().presentations)).toEqual(['diploma'])
  })

  it('reports to the caller if no credential matches, and the verifier gets nothing', async () => {
    const before = verifier.responses.length
    const answer = await wallet.process(
      await verifier.request(sdJwtQuery({ meta: { vct_values: ['urn:eudi:pid:1'] } })),
    )
    expect(answer.status).toBe(500)
    expect(answer.json.message).toBe('Could not find the required credentials for the presentation submission')
    expect(verifier.responses.length).toBe(before)
    expect((await wallet.get('/presentations')).json[0].state).toBe('accepted')
  })

  it('sends an unused copy to each verifier, as long as there are unused copies', async () => {
    const collector = await newWallet(service, 'bob')
    expect((await collector.process(await issuer.offer([DIPLOMA_SD_JWT]), { copies: 3 })).status).toBe(200)
    const keys: string[] = []
    for (let count = 0; count < 4; count += 1) {
      expect((await collector.process(await verifier.request(sdJwtQuery()))).status).toBe(200)
      keys.push(JSON.stringify(decodeJwt(presented().split('~')[0] ?? '').cnf))
    }
    expect(new Set(keys.slice(0, 3)).size).toBe(3)
    expect(keys[3]).toBe(keys[0])
  })

  it('a copy of a JWT VC is presented under the DID that it is bound to', async () => {
    const collector = await newWallet(service, 'carol')
    await collector.process(await issuer.offer([DIPLOMA_JWT]), { copies: 2 })
    const holders: unknown[] = []
    for (let count = 0; count < 2; count += 1) {
      expect((await collector.process(await verifier.request(jwtQuery()))).status).toBe(200)
      const vp = decodeJwt<{ vp: { verifiableCredential: string[] } }>(presented())
      const [credential = ''] = vp.vp.verifiableCredential
      expect(decodeJwt(credential).sub).toBe(vp.iss)
      holders.push(vp.iss)
    }
    expect(new Set(holders).size).toBe(2)
  })
})

describe('a wallet’s record of its presentations', () => {
  it('has the verifier, the credentials and the outcome; never the values of claims', async () => {
    await wallet.process(await verifier.request(jwtQuery()))
    const [latest] = (await wallet.get('/presentations')).json
    const [credential] = (await wallet.get('/credentials')).json.filter(
      ({ format }: { format: string }) => format === 'jwt_vc_json',
    )
    expect(latest).toEqual({
      id: expect.any(String),
      verifier: `decentralized_identifier:${verifier.key.did}`,
      verifierName: 'Remote verifier',
      state: 'accepted',
      credentials: [{ queryId: 'diploma', credentialId: credential.id, claims: [] }],
      redirectUri: 'https://verifier.example/done?response_code=1',
      createdAt: expect.any(String),
    })
  })

  it('a refusal is a 500 with the reason of the verifier, and is recorded too', async () => {
    await using refusing = await startRemoteVerifier({
      answer: () => ({
        status: 400,
        body: { error: 'invalid_request', error_description: 'Credential has been revoked.' },
      }),
    })
    const answer = await wallet.process(await refusing.request(jwtQuery()))
    const reason = 'The verifier refused the presentation: invalid_request: Credential has been revoked.'
    expect([answer.status, answer.json.message]).toEqual([500, reason])
    const [latest] = (await wallet.get('/presentations')).json
    expect(latest).toMatchObject({ state: 'failed', errorMessage: reason })
  })

  it('an answer without a further address is not a failure', async () => {
    await using quiet = await startRemoteVerifier({ answer: () => ({ body: {} }) })
    const answer = await wallet.process(await quiet.request(jwtQuery()))
    expect([answer.status, answer.json]).toEqual([200, { type: 'authorization_request' }])
  })

  it.each<string | number>(['javascript:alert(1)', 'data:text/html,x', 'not an address', 7, ...TWO_READINGS])(
    'the address %s is not returned',
    async (redirectUri) => {
      await using hostile = await startRemoteVerifier({ answer: () => ({ body: { redirect_uri: redirectUri } }) })
      const answer = await wallet.process(await hostile.request(jwtQuery()))
      expect([answer.status, answer.json]).toEqual([200, { type: 'authorization_request' }])
    },
  )

  it('is recorded in audit events with ids only', async () => {
    await wallet.process(await verifier.request(jwtQuery()))
    const [latest] = (await wallet.get('/presentations')).json
    const rows = await query(service.databaseUrl, 'SELECT actor, action FROM audit_events WHERE subject_id = $1', [
      latest.id,
    ])
    expect(rows).toEqual([{ actor: 'alice', action: 'wallet.presented' }])
  })
})
