import type { JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import {
  DIPLOMA,
  DIPLOMA_JWT,
  DIPLOMA_SD_JWT,
  type RemoteIssuerOptions,
  startRemoteIssuer,
} from '../../support/remote-issuer.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { newRemoteKey } from '../../support/wallet-callbacks.js'
import { type RemoteAnswer, startRemoteServer } from '../../support/wallet-http.js'

let service: TestService

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
})
afterAll(() => service.close())

interface Refusal {
  readonly status: number
  readonly message: string
  /** The number of credentials in the wallet afterwards. */
  readonly stored: number
  readonly requests: readonly string[]
  readonly notifications: readonly string[]
}

/** The wallet's refusal of a hostile issuer's offer. */
async function refusalOf(options: RemoteIssuerOptions, ids: readonly string[] = [DIPLOMA_SD_JWT]): Promise<Refusal> {
  await using issuer = await startRemoteIssuer(options)
  const wallet = await newWallet(service)
  const answer = await wallet.process(await issuer.offer(ids))
  const [row] = await query<{ count: string }>(
    service.databaseUrl,
    'SELECT count(*) FROM wallet_credentials WHERE holder_id = $1',
    [wallet.id],
  )
  return {
    status: answer.status,
    message: answer.json.message,
    stored: Number(row?.count),
    requests: issuer.seen.map(({ path }) => path),
    notifications: [...issuer.notifications],
  }
}

const endless = (): RemoteAnswer => ({
  raw: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"c_nonce":"')
    const timer = setInterval(() => response.write('x'.repeat(1000)), 5)
    response.on('close', () => clearInterval(timer))
  },
})

describe('metadata of a hostile issuer', () => {
  it('of another issuer is refused before a code is used (OpenID4VCI 1.0 §12.2.4)', async () => {
    const refusal = await refusalOf({ metadata: { credential_issuer: 'http://127.0.0.1:1/other' } })
    expect(refusal).toMatchObject({ status: 500, stored: 0 })
    expect(refusal.message).toContain('does not match the provided credential issuer')
    expect(refusal.requests).toEqual(['/.well-known/openid-credential-issuer'])
  })

  it('of another authorization server is refused (RFC 8414 §3.3)', async () => {
    const refusal = await refusalOf({ serverMetadata: { issuer: 'http://127.0.0.1:1' } })
    expect(refusal).toMatchObject({ status: 500, stored: 0 })
    expect(refusal.message).toContain('does not match the provided issuer')
    expect(refusal.requests).not.toContain('/token')
  })

  it.each([
    ['http://10.0.0.1/token', '10.0.0.1'],
    ['http://169.254.169.254/latest/token', '169.254.169.254'],
    ['http://localhost:80/token', 'localhost'],
    ['http://[::1]:8080/token', '::1'],
  ])('a token endpoint at the private address %s is never called', async (tokenEndpoint, host) => {
    const refusal = await refusalOf({ serverMetadata: { token_endpoint: tokenEndpoint } })
    expect(refusal).toMatchObject({ status: 500, stored: 0 })
    expect(refusal.message).toBe(`${host} has an address that is not public, so it may not be requested.`)
  })

  it.each([
    ['/agent/holders'],
    ['/trpc/agentHolders.list'],
    ['/api/v1/credentials'],
    ['/openid4vci/../agent/holders'],
    ['/openid4vci/%2e%2e/agent/holders'],
  ])('a credential endpoint at %s of this service itself is never called', async (path) => {
    const refusal = await refusalOf({ metadata: { credential_endpoint: `${service.url}${path}` } })
    expect(refusal).toMatchObject({ status: 500, stored: 0 })
    expect(refusal.message).toContain('this service itself')
  })

  it('that names too many authorization servers is refused', async () => {
    await using servers = await startRemoteServer((url) =>
      Object.fromEntries(
        Array.from({ length: 300 }, (_, index) => [
          `/.well-known/oauth-authorization-server/${index}`,
          () => ({ body: { issuer: `${url}/${index}`, token_endpoint: `${url}/token` } }),
        ]),
      ),
    )
    const named = Array.from({ length: 300 }, (_, index) => `${servers.url}/${index}`)
    const refusal = await refusalOf({ metadata: { authorization_servers: named } })
    expect(refusal).toMatchObject({ status: 500, message: 'The exchange takes too many requests.', stored: 0 })
    expect(servers.seen.length).toBeLessThan(60)
  })

  it('that demands encrypted responses in an unsupported way is refused before a code is used', async () => {
    const refusal = await refusalOf({
      metadata: {
        credential_response_encryption: {
          alg_values_supported: ['ECDH-ES'],
          enc_values_supported: ['A128GCM'],
          encryption_required: true,
        },
      },
    })
    expect(refusal.message).toBe('The issuer requires encrypted messages, in a way that this wallet does not support.')
    expect(refusal.requests).not.toContain('/token')
  })
})

describe('answers of a hostile issuer', () => {
  it('an endless body is cut off', async () => {
    const refusal = await refusalOf({ replace: { '/nonce': endless } })
    expect(refusal).toMatchObject({ status: 500, stored: 0 })
    expect(refusal.message).toMatch(/answered with more than 262144 bytes|did not answer within/)
  })

  it('an oversized body is refused', async () => {
    const refusal = await refusalOf({
      replace: { '/credential': () => ({ body: { credentials: [{ credential: 'x'.repeat(900_000) }] } }) },
    })
    expect(refusal).toMatchObject({ status: 500, stored: 0 })
    expect(refusal.message).toContain('answered with more than 786432 bytes')
  })

  it.each(['/.well-known/openid-credential-issuer', '/.well-known/oauth-authorization-server', '/token', '/nonce'])(
    'a body at %s that is not JSON is reported without a quote',
    async (path) => {
      const broken = (): RemoteAnswer => ({
        raw: (response) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"s3cret"oops}'),
      })
      const refusal = await refusalOf({ replace: { [path]: broken } })
      expect(refusal).toMatchObject({ status: 500, stored: 0 })
      expect(refusal.message).toMatch(/^127\.0\.0\.1:\d+ answered with something that is not JSON\.$/)
    },
  )

  it.each([
    ['/token', { access_token: 'a', token_type: 7 }, /^Error validating access token response [^\n]*token_type[^\n]*$/],
    ['/.well-known/oauth-authorization-server', { issuer: 7 }, /^Validation of metadata from [^\n]*issuer[^\n]*$/],
  ])('members of other types at %s are named on one line', async (path, body, message) => {
    const refusal = await refusalOf({ replace: { [path]: () => ({ body }) } })
    expect(refusal).toMatchObject({ status: 500, stored: 0 })
    expect(refusal.message).toMatch(message)
  })

  it('a redirect of the token request is not followed, to any address', async () => {
    await using other = await startRemoteServer(() => ({
      '/token': () => ({ body: { access_token: 'a', token_type: 'Bearer' } }),
    }))
    const refusal = await refusalOf({
      replace: { '/token': () => ({ status: 307, headers: { location: `${other.url}/token` } }) },
    })
    expect(refusal).toMatchObject({ status: 500, stored: 0 })
    expect(refusal.message).toContain('redirects a POST request, which is not followed')
    expect(other.seen).toEqual([])
  })

  it.each([
    ['no credentials', { credentials: [] }, 'The issuer sent no credential.'],
    [
      'a deferral by an issuer without an endpoint for it',
      { transaction_id: 't', interval: 5 },
      'The issuer defers the credential and names no endpoint to ask for it.',
    ],
    ['an object', { credentials: [{ credential: { proof: 1 } }] }, 'The issuer sent a credential that is not compact.'],
    [
      'more than asked for',
      { credentials: [{ credential: 'a.b.c' }, { credential: 'a.b.c' }] },
      'The issuer sent more credentials than the wallet requested.',
    ],
  ])('%s instead of a credential is refused', async (_what, body, message) => {
    const refusal = await refusalOf({ replace: { '/credential': () => ({ body }) } })
    expect(refusal).toMatchObject({ status: 500, message, stored: 0 })
  })

  it('text of the issuer is in the reason on one line, with a limited length', async () => {
    const refusal = await refusalOf({
      replace: {
        '/token': () => ({
          status: 400,
          body: { error: 'invalid_grant', error_description: `a\nb\u001b[31m${'x'.repeat(5000)}` },
        }),
      },
    })
    expect(refusal.message).toMatch(/^The authorization server refused the request: invalid_grant: a b \[31mx+$/)
    expect(refusal.message.length).toBeLessThanOrEqual(500)
  })
})

describe('a credential that is invalid, or is not for the holder, is refused and not stored', () => {
  it('a credential with an invalid signature', async () => {
    const refusal = await refusalOf({
      forge: async (issuer, holder) => {
        const compact = await issuer.signSdJwtVc(holder.publicJwk)
        const [jwt = '', ...rest] = compact.split('~')
        const signature = jwt.slice(jwt.lastIndexOf('.') + 1)
        const broken = Buffer.from(signature, 'base64url')
        broken[0] = (broken[0] ?? 0) ^ 1
        return [`${jwt.slice(0, -signature.length)}${broken.toString('base64url')}`, ...rest].join('~')
      },
    })
    expect(refusal).toMatchObject({ status: 500, message: 'Credential signature is invalid.', stored: 0 })
    expect(refusal.notifications).toEqual([`${DIPLOMA_SD_JWT} credential_failure`])
  })

  it('an SD-JWT VC that is bound to another key', async () => {
    const refusal = await refusalOf({
      forge: async (issuer) => issuer.signSdJwtVc((await newRemoteKey()).publicJwk),
    })
    expect(refusal).toMatchObject({
      status: 500,
      message: 'Credential is not bound to a key of this wallet.',
      stored: 0,
    })
  })

  it('a JWT VC with another subject', async () => {
    const refusal = await refusalOf({ forge: async (issuer) => issuer.signJwtVc((await newRemoteKey()).did) }, [
      DIPLOMA_JWT,
    ])
    expect(refusal).toMatchObject({
      status: 500,
      message: 'Credential is not bound to a key of this wallet.',
      stored: 0,
    })
  })

  it('a JWT VC with the right subject and the confirmation key of another holder (RFC 7800 §3)', async () => {
    const { publicJwk } = await newRemoteKey()
    const refusal = await refusalOf(
      { forge: (issuer, holder) => issuer.signJwtVc(holder.did, { cnf: { jwk: publicJwk } }) },
      [DIPLOMA_JWT],
    )
    expect(refusal).toMatchObject({ message: 'Credential is not bound to a key of this wallet.', stored: 0 })
  })

  it('a credential with the right DID and the confirmation key of another holder, by its DID URL', async () => {
    const refusal = await refusalOf(
      { forge: (issuer, holder) => issuer.signJwtVc(holder.did, { cnf: { kid: `${holder.did}#another` } }) },
      [DIPLOMA_JWT],
    )
    expect(refusal).toMatchObject({ message: 'Credential is not bound to a key of this wallet.', stored: 0 })
  })

  it('a credential without a binding', async () => {
    const refusal = await refusalOf({ forge: (issuer) => issuer.signJwtVc(undefined) }, [DIPLOMA_JWT])
    expect(refusal).toMatchObject({ message: 'Credential is not bound to a key of this wallet.', stored: 0 })
  })

  it('a credential of another type than was offered', async () => {
    const refusal = await refusalOf({
      forge: (issuer, holder) => issuer.signSdJwtVc(holder.publicJwk, DIPLOMA, 'https://pid.example/vct'),
    })
    expect(refusal).toMatchObject({ message: 'Credential is of another type than was offered.', stored: 0 })
  })

  it('a credential that lacks one of the types of the offer (W3C VCDM 1.1 §4.3)', async () => {
    const vc = (did: string, name: string) => ({
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiableCredential', name],
      issuanceDate: '2026-01-01T00:00:00Z',
      credentialSubject: { id: did, ...DIPLOMA },
    })
    const taken = (name: string) =>
      refusalOf(
        {
          forge: (issuer, { did = '' }) =>
            issuer.signJwtVc(did, { nbf: 1_767_225_600, vc: { ...vc(did, name), issuer: issuer.key.did } }),
        },
        [DIPLOMA_JWT],
      )
    expect(await taken(DIPLOMA_JWT)).toMatchObject({ status: 200, stored: 1 })
    expect(await taken('Licence')).toMatchObject({
      message: 'Credential is of another type than was offered.',
      stored: 0,
    })
  })

  it('an SD-JWT VC with a Key Binding JWT, which its issuer cannot have made (RFC 9901 §4.3)', async () => {
    const refusal = await refusalOf({
      forge: async (issuer, holder) => `${await issuer.signSdJwtVc(holder.publicJwk)}e30.e30.AAAA`,
    })
    expect(refusal).toMatchObject({
      message: 'Credential carries a Key Binding JWT, which only its holder can add.',
      stored: 0,
    })
  })

  it('a credential of another format than was offered', async () => {
    const refusal = await refusalOf({ forge: (issuer, holder) => issuer.signJwtVc(holder.did) })
    expect(refusal).toMatchObject({ message: 'Credential has another format than was offered.', stored: 0 })
  })

  it('two copies that are bound to one key', async () => {
    const proven: JWK[] = []
    await using issuer = await startRemoteIssuer({
      batchSize: 2,
      forge: (self, { publicJwk }) => {
        proven.push(publicJwk)
        return self.signSdJwtVc(proven[0] ?? publicJwk)
      },
    })
    const wallet = await newWallet(service)
    const answer = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]), { copies: 2 })
    expect(answer.json.message).toBe('The issuer bound two copies to one key.')
    expect((await wallet.get('/credentials')).json).toEqual([])
  })

  it('keeps the valid credential of two', async () => {
    const refusal = await refusalOf(
      {
        forge: async (issuer, holder, format) =>
          format === 'dc+sd-jwt' ? issuer.signSdJwtVc((await newRemoteKey()).publicJwk) : issuer.signJwtVc(holder.did),
      },
      [DIPLOMA_JWT, DIPLOMA_SD_JWT],
    )
    expect(refusal).toMatchObject({ status: 200, stored: 1 })
    expect(refusal.notifications).toEqual([
      `${DIPLOMA_JWT} credential_accepted`,
      `${DIPLOMA_SD_JWT} credential_failure`,
    ])
  })
})

describe('times that a date-time cannot express', () => {
  it.each([
    ['an expiry at the limit of numbers', { exp: 1e308 }],
    ['an expiry after the year 9999, in milliseconds', { exp: 1_900_000_000_000 }],
    ['a beginning before the year 0', { iat: -1e11 }],
    ['both', { iat: -1e308, exp: 1e15 }],
  ])('%s: the credential is stored, and shown without these times', async (_what, times) => {
    await using issuer = await startRemoteIssuer({
      forge: (self, { publicJwk }) => self.signSdJwtVc(publicJwk, DIPLOMA, undefined, times),
    })
    const wallet = await newWallet(service)
    const taken = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]))
    expect(taken.status, taken.text).toBe(200)
    const [shown] = taken.json.credentials
    expect(shown).toMatchObject({ status: 'valid', type: [`${issuer.url}/vct/diploma`] })
    expect('issuedAt' in shown).toBe(!('iat' in times))
    expect(shown).not.toHaveProperty('expiresAt')
    expect((await wallet.get('/credentials')).json).toEqual([shown])
    expect((await wallet.get(`/credentials/${shown.id}`)).json).toMatchObject({ ...shown, claims: DIPLOMA })

    const asked = await service.request('POST', '/authorization-requests', {
      authorization: wallet.authorization,
      body: {
        dcqlQuery: {
          credentials: [{ id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [`${issuer.url}/vct/diploma`] } }],
        },
      },
    })
    const flow = await service.request('POST', '/flows', {
      authorization: wallet.authorization,
      body: { qrContent: asked.json.authorizationRequestUri, did: wallet.did },
    })
    expect(flow.status, flow.text).toBe(201)
    const [matching] = flow.json.data.matchingCredentials
    expect(matching.id).toBe(shown.id)
    expect(matching).not.toHaveProperty('expirationDate')
  })
})
