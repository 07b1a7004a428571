import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { Writable } from 'node:stream'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../../server/log/log.js'
import { CERTIFICATE, PRIVATE_KEY } from '../../outbound/wallet-example-certificate.js'
import { closeServer, listenLocally } from '../../support/local-server.js'
import { query } from '../../support/postgres.js'
import { newWallet as newHostedWallet } from '../../support/wallet.js'
import { newWallet } from '../../support/wallet-actor.js'
import { credentialOf, type Issuer, movingClock, PRE_AUTHORIZED, refusalOf, startIssuer } from '../openid4vci/actors.js'
import { claims, json, SECRET, type Source, startSource } from './source.js'

const KEY = Buffer.alloc(32, 9).toString('base64url')
const TYPE = 'Diploma'
const CONFIGURATION = `${TYPE}-sd-jwt`
const SCHEMA = {
  type: 'object',
  properties: { degree: { type: 'string' }, grade: { type: 'number', maximum: 5 } },
  required: ['degree'],
  additionalProperties: false,
}
const CLAIMS = { degree: 'Physics', grade: 1 }
const UNAVAILABLE = [
  503,
  'temporarily_unavailable',
  'The claims of the credential cannot be read at the moment. Try again later.',
]

const ANOTHER_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

const lines: string[] = []
const destination = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk))
    done()
  },
})
const clock = movingClock()
let issuer: Issuer
let source: Source
let schemaId: string

const sourceOf = (members: Record<string, unknown> = {}) => ({
  url: source.url,
  auth: { hmac: SECRET },
  timeoutMs: 1_000,
  ...members,
})

const postType = async (name: string, claimsSource: unknown, authorization?: string) =>
  issuer.service.request('POST', '/schemas', {
    authorization: authorization ?? (await issuer.authorization()),
    body: { name, version: 1, schema: SCHEMA, claimsSource },
  })

beforeAll(async () => {
  source = await startSource()
  issuer = await startIssuer({
    env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', KEY_ENCRYPTION_KEY: KEY },
    clock: clock.now,
    maintenance: false,
    log: createLog('trace', destination),
  })
  const posted = await postType(TYPE, sourceOf())
  expect(posted.status, posted.text).toBe(201)
  schemaId = posted.json.id
})
afterEach(() => {
  clock.ahead = 0
  lines.length = 0
})
afterAll(async () => {
  await issuer.service.close()
  await source[Symbol.asyncDispose]()
})

const rows = (sql: string, ...values: unknown[]) => query(issuer.service.databaseUrl, sql, values)

const offer = async (members: Record<string, unknown> = {}) =>
  issuer.service.request('POST', '/credential-offers', {
    authorization: await issuer.authorization(),
    body: { credentialConfigurationIds: [CONFIGURATION], claims: 'atIssuance', reference: 'M-1', ...members },
  })

const made = async (members: Record<string, unknown> = {}): Promise<string> => {
  const answer = await offer(members)
  expect(answer.status, answer.text).toBe(201)
  return answer.json.credentialOfferSessionId
}

/** Gets the token response for a new code of an offer. */
const tokensFor = async (offerId: string) => {
  const answer = await issuer.requestToken({
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': await issuer.code(offerId),
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const taken = async (members: Record<string, unknown> = {}, configuration = CONFIGURATION) => {
  const offerId = await made(members)
  const { access_token: token } = await tokensFor(offerId)
  return { offerId, token, answer: await issuer.take(token, configuration) }
}

const disclosedIn = (compact: string) =>
  Object.fromEntries(
    compact
      .split('~')
      .slice(1, -1)
      .map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()).slice(1)),
  )

/** What a failed issuance must leave behind: nothing. */
const onRecord = async (offerId: string) => {
  const [row] = await rows(
    `SELECT o.redemption_count AS counted, count(r.*)::int AS redemptions FROM offerings o LEFT JOIN redemptions r ON r.offering_id = o.id
     WHERE o.id = $1 GROUP BY o.id`,
    offerId,
  )
  return row
}
const NOTHING = { counted: 0, redemptions: 0 }

describe('claimsSource of a schema', () => {
  it('is shown without its secrets, which are stored as ciphertext', async () => {
    const auth = { hmac: SECRET, bearer: 'secret-token' }
    const posted = await postType('Kept', sourceOf({ auth }))
    const shown = { url: source.url, method: 'POST', timeoutMs: 1_000, auth: { bearer: true, hmac: true } }
    expect(posted.json.claimsSource).toEqual(shown)
    const read = await issuer.service.request('GET', `/schemas/${posted.json.id}`, {
      authorization: await issuer.authorization(),
    })
    expect(read.json.claimsSource).toEqual(shown)
    const [stored] = await rows('SELECT secret FROM claims_sources WHERE schema_id = $1', posted.json.id)
    expect(stored?.secret).toMatch(/^ey/)
    expect(posted.text + read.text + lines.join('')).not.toMatch(/whsec_|secret-token/)
  })

  it.each([
    ['an address without https', { url: 'ftp://x.example' }, 'claimsSource.url must be an https: address'],
    ['a fragment', { url: 'https://x.example/#a' }, 'claimsSource.url must not have a fragment'],
    ['a user name', { url: 'https://a:b@x.example' }, 'claimsSource.url must not hold a user name'],
    ['no authentication', { auth: {} }, 'claimsSource.auth must have bearer, hmac or mTLS'],
    [
      'a short secret',
      { auth: { hmac: 'whsec_YWJj' } },
      'claimsSource.auth.hmac must be whsec_ and 24 to 64 bytes in base64',
    ],
    ['a long time', { timeoutMs: 10_001 }, 'claimsSource.timeoutMs must be at most 10000'],
    ['an unknown member', { proxy: 'x' }, 'property proxy should not exist'],
    [
      'a broken client certificate',
      { url: 'https://x.example', auth: { mTLS: { certificate: 'x', key: 'y' } } },
      'claimsSource.auth.mTLS.certificate must be a certificate in PEM',
    ],
    [
      'a broken key',
      { url: 'https://x.example', auth: { mTLS: { certificate: CERTIFICATE, key: 'y' } } },
      'claimsSource.auth.mTLS.key must be a private key in PEM',
    ],
    [
      'the key of another certificate',
      { url: 'https://x.example', auth: { mTLS: { certificate: CERTIFICATE, key: ANOTHER_KEY } } },
      'claimsSource.auth.mTLS.key must be the key of the certificate',
    ],
    [
      'a client certificate without TLS',
      { auth: { mTLS: { certificate: CERTIFICATE, key: PRIVATE_KEY } } },
      'claimsSource.auth.mTLS needs an https: address',
    ],
  ])('is refused with %s', async (_, members, message) => {
    const { status, json: body } = await postType('Refused', sourceOf(members))
    expect([status, body.message]).toEqual([400, [message]])
  })

  it('excludes claimsFrom', async () => {
    const answer = await issuer.service.request('POST', '/schemas', {
      authorization: await issuer.authorization(),
      body: {
        name: 'Both',
        version: 1,
        schema: SCHEMA,
        claimsSource: sourceOf(),
        claimsFrom: { degree: '/degree' },
      },
    })
    expect([answer.status, answer.json.message]).toEqual([400, ['claimsFrom must not be given with claimsSource']])
  })
})

describe('an offer with claims at issuance', () => {
  it('has no claims; the source is asked with a signed request when the wallet comes', async () => {
    source.answers(claims(CLAIMS))
    const offerId = await made({ label: 'Ada Lovelace', page: true })
    const fetched = await issuer.service.request('GET', `/openid4vci/offers/${offerId}`)
    expect(fetched.text).not.toMatch(/Physics|M-1|Ada/)
    expect(source.asked).toEqual([])
    const { access_token: token } = await tokensFor(offerId)
    const answer = await issuer.take(token, CONFIGURATION)
    expect(disclosedIn(credentialOf(answer))).toEqual(CLAIMS)
    const [asked] = source.asked
    expect(asked?.json).toEqual({
      type: 'credential.claims_requested',
      timestamp: expect.any(String),
      data: {
        reference: 'M-1',
        label: 'Ada Lovelace',
        credentialConfigurationIds: [CONFIGURATION],
        credentialOfferSessionId: offerId,
        schema: { id: schemaId, name: TYPE, version: 1 },
      },
    })
    expect(asked?.headers['webhook-id']).toMatch(/^msg_/)
    expect((await issuer.session(offerId)).state).toBe('CredentialIssued')
    expect(await onRecord(offerId)).toEqual({ counted: 1, redemptions: 1 })
    const [stored] = await rows('SELECT credential_subject::text AS subject FROM offerings WHERE id = $1', offerId)
    expect(stored?.subject).not.toContain('Physics')
    expect(lines.join('')).not.toContain('Physics')
  })

  it('shows no claims on its share page', async () => {
    source.answers(claims(CLAIMS))
    const { json: paged } = await offer({ page: true })
    const { access_token: token } = await tokensFor(paged.credentialOfferSessionId)
    const shown = async () => (await fetch(paged.pageUrl, { headers: { accept: 'text/html' } })).text()
    const before = await shown()
    credentialOf(await issuer.take(token, CONFIGURATION))
    for (const page of [before, await shown()]) {
      expect(page).toContain('<h1')
      expect(page).not.toMatch(/Physics|M-1/)
    }
  })

  it('is made in a batch too', async () => {
    const row = { credentialConfigurationIds: [CONFIGURATION], claims: 'atIssuance' }
    const batch = await issuer.service.request('POST', '/api/v1/credential-offers/batch', {
      authorization: await issuer.authorization(),
      body: { rows: [{ ...row, key: 'a', reference: 'M-8' }] },
    })
    expect(batch.status, batch.text).toBe(200)
    source.answers(claims(CLAIMS))
    const { access_token: token } = await tokensFor(batch.json.offers[0].credentialOfferSessionId)
    credentialOf(await issuer.take(token, CONFIGURATION))
    expect(source.asked[0]?.json.data.reference).toBe('M-8')
  })

  it('can be taken by a hosted wallet', async () => {
    source.answers(claims(CLAIMS))
    const wallet = await newHostedWallet(issuer.service, 'holder')
    const taken = await wallet.process((await offer()).json.credentialOfferUri)
    expect(taken.status, taken.text).toBe(200)
    expect(taken.json.credentials).toHaveLength(1)
  })

  it('asks for each configuration; a further copy cannot wait, and gets 503', async () => {
    source.answers(claims(CLAIMS))
    const offerId = await made({ credentialConfigurationIds: [CONFIGURATION, TYPE] })
    const { access_token: token } = await tokensFor(offerId)
    credentialOf(await issuer.take(token, CONFIGURATION))
    source.answers((_, response) => json(response, 202, {}))
    expect(refusalOf(await issuer.take(token, TYPE))).toEqual(UNAVAILABLE)
    source.answers(claims(CLAIMS))
    credentialOf(await issuer.take(token, TYPE))
    expect(await onRecord(offerId)).toEqual({ counted: 1, redemptions: 1 })
  })

  it('keeps one connection to the source', async () => {
    source.answers(claims(CLAIMS))
    await taken()
    const before = source.connections()
    for (let times = 0; times < 3; times += 1) credentialOf((await taken()).answer)
    expect(source.connections()).toBe(before)
  })

  it('comes from a source that knows the service by its client certificate (RFC 8705 §2)', async () => {
    const server = createTlsServer(
      { cert: CERTIFICATE, key: PRIVATE_KEY, ca: CERTIFICATE, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        request.resume()
        json(response, 200, { credentialSubject: CLAIMS })
      },
    )
    const { port } = new URL(await listenLocally(server))
    const other = await startIssuer({
      env: { KEY_ENCRYPTION_KEY: KEY },
      maintenance: false,
      outbound: {
        ca: CERTIFICATE,
        lookup: async () => [{ address: '127.0.0.1', family: 4 }],
        isPublicAddress: (address) => address === '127.0.0.1',
      },
    })
    try {
      const url = `https://wallet.example:${port}/claims`
      const authorization = await other.authorization()
      const auth = { mTLS: { certificate: CERTIFICATE, key: PRIVATE_KEY } }
      const posted = await other.service.request('POST', '/schemas', {
        authorization,
        body: { name: TYPE, version: 1, schema: SCHEMA, claimsSource: { url, auth } },
      })
      expect(posted.json.claimsSource?.auth, posted.text).toEqual({ mTLS: true })
      expect(posted.text).not.toContain('PRIVATE KEY')
      const offered = { credentialConfigurationIds: [CONFIGURATION], credentialSubject: undefined, reference: 'M-1' }
      const { credentialOfferSessionId: id } = await other.makeOffer({ ...offered, claims: 'atIssuance' })
      expect(disclosedIn(credentialOf(await other.take(await other.token(id), CONFIGURATION)))).toEqual(CLAIMS)
      // A new certificate must fit its key too.
      const replaced = await other.service.request('POST', `/api/v1/schemas/${posted.json.id}/claims-source/secret`, {
        authorization,
        body: { auth: { mTLS: { certificate: CERTIFICATE, key: ANOTHER_KEY } } },
      })
      expect([replaced.status, replaced.json.message]).toEqual([
        400,
        ['auth.mTLS.key must be the key of the certificate'],
      ])
    } finally {
      await other.service.close()
      await closeServer(server)
    }
  })

  it.each([
    ['with claims', { credentialSubject: CLAIMS }, 'credentialSubject must not be given with claims atIssuance'],
    ['deferred', { deferred: true }, 'deferred must not be given with claims atIssuance'],
    ['about nobody', { reference: undefined }, 'claims atIssuance needs reference or forSubject'],
    [
      'of a type without a source',
      { credentialConfigurationIds: ['ProofOfPurchase'] },
      'claims must not be atIssuance: ProofOfPurchase has no claimsSource',
    ],
    ['nor claims', { claims: undefined }, 'credentialSubject must be given, or claims must be atIssuance'],
  ])('cannot be %s', async (_, members, message) => {
    const { status, json: body } = await offer(members)
    expect([status, body.message]).toEqual([400, [message]])
  })

  it('attack: another issuer cannot have the source asked about a person', async () => {
    source.answers(claims(CLAIMS))
    const mallory = await issuer.service.bearer('mallory')
    const body = { credentialConfigurationIds: [CONFIGURATION], claims: 'atIssuance', reference: 'M-1' }
    const attempts = [
      await issuer.service.request('POST', '/credential-offers', { authorization: mallory, body }),
      await issuer.service.request('POST', `/api/v1/schemas/${schemaId}/claims-source/test`, {
        authorization: mallory,
        body: { reference: 'M-1' },
      }),
      await issuer.service.request('POST', `/api/v1/schemas/${schemaId}/claims-source/secret`, {
        authorization: mallory,
        body: { auth: { hmac: SECRET } },
      }),
    ]
    for (const { status, json: answer } of attempts)
      expect([status, answer.message]).toEqual([403, 'Schema belongs to another caller.'])
    expect(source.asked).toEqual([])
  })
})

describe('a source that gives no claims', () => {
  it('answers 404: the wallet gets access_denied, and nothing is issued', async () => {
    source.answers((_, response) => json(response, 404, {}))
    const { offerId, answer } = await taken()
    expect(refusalOf(answer)).toEqual([400, 'access_denied', 'The issuer knows no credential for this person.'])
    expect(source.asked).toHaveLength(1)
    expect(await onRecord(offerId)).toEqual(NOTHING)
  })

  it('answers claims that the schema refuses: the operator sees the claim, and nobody its value', async () => {
    source.answers(claims({ degree: 'Physics', grade: 77777 }))
    const { offerId, token, answer } = await taken()
    expect(refusalOf(answer)).toEqual([
      400,
      'credential_request_denied',
      'The claims of the issuer are not enough for this credential.',
    ])
    expect(await onRecord(offerId)).toEqual(NOTHING)
    const session = await issuer.session(offerId)
    expect([session.state, session.errorMessage]).toEqual(['TokenIssued', 'credentialSubject.grade must be <= 5'])
    expect(lines.join('')).toContain('credentialSubject.grade must be <= 5')
    expect(lines.join('')).not.toMatch(/77777|Physics/)
    // The wallet can try again after the issuer has corrected the claims.
    source.answers(claims(CLAIMS))
    credentialOf(await issuer.take(token, CONFIGURATION))
    expect((await issuer.session(offerId)).errorMessage).toBeUndefined()
  })

  it.each([
    ['a prototype', '{"credentialSubject":{"degree":"Physics","__proto__":{"grade":1}}}', 'credential_request_denied'],
    ['an unknown claim', '{"credentialSubject":{"degree":"Physics","admin":true}}', 'credential_request_denied'],
  ])('answers with %s: refused', async (_, text, error) => {
    source.answers((_asked, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text))
    const { offerId, answer } = await taken()
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, error])
    expect(await onRecord(offerId)).toEqual(NOTHING)
    expect(Object.prototype).not.toHaveProperty('grade')
  })

  it.each<[string, Parameters<Source['answers']>[0], string, number]>([
    [
      'redirects',
      (_, response) => response.writeHead(307, { location: source.url }).end(),
      'answered with a redirect',
      1,
    ],
    [
      'never ends its answer',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const chunk = 'x'.repeat(16_384)
        // Through the event loop: Node.js 26 calls back at once when the connection is gone, and does not say that it is destroyed.
        const more = (error?: Error | null) => {
          if (!error && !response.destroyed) response.write(chunk, (failed) => setImmediate(more, failed))
        }
        more()
      },
      'answered with more than 65536 bytes',
      1,
    ],
    [
      'claims an enormous length',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(2 ** 40) })
        response.write('x'.repeat(100_000))
      },
      'answered with more than 65536 bytes',
      1,
    ],
    [
      'sends one byte at a time',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const timer = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(timer))
      },
      'did not answer within 300 ms',
      2,
    ],
    ['does not answer', () => undefined, 'did not answer within 300 ms', 2],
    ['fails', (_, response) => json(response, 500, {}), 'answered with status 500', 2],
    ['refuses the credentials', (_, response) => json(response, 401, {}), 'answered with status 401', 1],
    [
      'answers with HTML',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('{"credentialSubject":{}}'),
      'content type that is not application/json',
      1,
    ],
    [
      'answers with broken JSON',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"Physics"'),
      'answered with something that is not JSON',
      1,
    ],
    ['answers without claims', (_, response) => json(response, 200, { subject: {} }), 'without a credentialSubject', 1],
  ])('%s: the wallet waits, and the source is asked at most twice', async (_, handler, problem, times) => {
    const name = `Slow${crypto.randomUUID().replaceAll('-', '')}`
    await postType(name, sourceOf({ timeoutMs: 300 }))
    source.answers(handler)
    const { answer } = await taken({ credentialConfigurationIds: [`${name}-sd-jwt`] }, `${name}-sd-jwt`)
    expect(answer.status, answer.text).toBe(202)
    expect(lines.join('')).toContain(problem)
    expect(lines.join('')).not.toContain('Physics')
    expect(source.asked).toHaveLength(times)
    const ids = new Set(source.asked.map(({ headers }) => headers['webhook-id']))
    expect(ids.size).toBe(1)
  })

  it('is repeated once after a 500: the second answer counts', async () => {
    source.answers((_, response, times) =>
      times === 1 ? json(response, 500, {}) : json(response, 200, { credentialSubject: CLAIMS }),
    )
    credentialOf((await taken()).answer)
    expect(source.asked).toHaveLength(2)
  })

  it('attack: a source at a private address is never reached', async () => {
    let reached = 0
    const server = createServer((_, response) => {
      reached += 1
      response.end()
    })
    const url = (await listenLocally(server)).replace('127.0.0.1', '127.0.0.2')
    await postType('Private', sourceOf({ url }))
    const { answer } = await taken({ credentialConfigurationIds: ['Private-sd-jwt'] }, 'Private-sd-jwt')
    expect(answer.status).toBe(202)
    expect(lines.join('')).toContain('has an address that is not public')
    await closeServer(server)
    expect(reached).toBe(0)
  })

  it('at most 32 requests to one source are open; others get 503 with Retry-After', async () => {
    const waiting: (() => void)[] = []
    source.answers((_, response) => {
      waiting.push(() => json(response, 200, { credentialSubject: CLAIMS }))
    })
    const name = 'Crowded'
    await postType(name, sourceOf({ timeoutMs: 10_000 }))
    const members = { credentialConfigurationIds: [`${name}-sd-jwt`] }
    const tokens = await Promise.all(
      Array.from({ length: 33 }, async () => (await tokensFor(await made(members))).access_token),
    )
    const [last = '', ...first] = tokens
    const open = first.map((token) => issuer.take(token, `${name}-sd-jwt`))
    await expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(32)
    // A source that does not answer holds no connection to the database.
    expect(issuer.service.platform.database.load().busy).toBe(0)
    const busy = await issuer.take(last, `${name}-sd-jwt`)
    expect(refusalOf(busy)).toEqual(UNAVAILABLE)
    expect(busy.headers.get('retry-after')).toBe('30')
    for (const answer of waiting) answer()
    for (const answer of await Promise.all(open)) expect(answer.status).toBe(200)
    source.answers(claims(CLAIMS))
    credentialOf(await issuer.take(last, `${name}-sd-jwt`))
  })
})

describe('a source that answers later (202)', () => {
  const waiting = async () => {
    source.answers((_, response) => json(response, 202, {}))
    const offerId = await made()
    const tokens = await tokensFor(offerId)
    const wallet = await newWallet()
    const answer = await issuer.take(tokens.access_token, CONFIGURATION, wallet)
    expect(answer.status, answer.text).toBe(202)
    return { offerId, token: tokens.access_token, transactionId: answer.json.transaction_id, wallet }
  }

  it('lets the issuer approve with the claims', async () => {
    const { offerId, token, transactionId } = await waiting()
    expect((await issuer.session(offerId)).deferred).toBe('pending')
    const without = await issuer.decide(offerId, 'approve')
    expect([without.status, without.json.message]).toEqual([
      400,
      ['credentialSubject must be given: the offer has no claims yet'],
    ])
    const wrong = await issuer.decide(offerId, 'approve', { credentialSubject: { grade: 1 } })
    expect(wrong.status).toBe(400)
    const approved = await issuer.decide(offerId, 'approve', { credentialSubject: CLAIMS })
    expect(approved.status, approved.text).toBe(200)
    const before = source.asked.length
    expect(disclosedIn(credentialOf(await issuer.collect(token, transactionId)))).toEqual(CLAIMS)
    expect(source.asked).toHaveLength(before)
  })

  it('lets the issuer reject', async () => {
    const { offerId, token, transactionId } = await waiting()
    expect((await issuer.decide(offerId, 'reject')).status).toBe(200)
    expect(refusalOf(await issuer.collect(token, transactionId)).slice(0, 2)).toEqual([
      400,
      'credential_request_denied',
    ])
  })

  it('is asked again when the wallet collects, at most once in an interval of 5 seconds', async () => {
    const { offerId, token, transactionId, wallet } = await waiting()
    source.answers(claims(CLAIMS))
    expect((await issuer.collect(token, transactionId)).status).toBe(202)
    // The credential endpoint does not ask either while the wallet waits.
    const again = (await issuer.take(token, CONFIGURATION, wallet)).json.transaction_id
    expect((await issuer.collect(token, again)).status).toBe(202)
    expect(source.asked).toHaveLength(0)
    clock.ahead = 6
    // Both requests come before the source answers.
    source.answers((_, response) => setTimeout(() => json(response, 200, { credentialSubject: CLAIMS }), 700))
    const answers = await Promise.all([issuer.collect(token, again), issuer.collect(token, again)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 202])
    expect(source.asked).toHaveLength(1)
    expect(await onRecord(offerId)).toEqual({ counted: 1, redemptions: 1 })
    const session = await issuer.session(offerId)
    expect([session.state, session.deferred]).toEqual(['CredentialIssued', 'approved'])
  })
})

describe('the secret of a source', () => {
  const replace = async (id: string, auth: unknown) =>
    issuer.service.request('POST', `/api/v1/schemas/${id}/claims-source/secret`, {
      authorization: await issuer.authorization(),
      body: { auth },
    })
  const test = async (id: string) =>
    issuer.service.request('POST', `/api/v1/schemas/${id}/claims-source/test`, {
      authorization: await issuer.authorization(),
      body: { reference: 'made-up' },
    })

  it('is replaced without a new version', async () => {
    const wrong = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
    const { json: schema } = await postType('Rotated', sourceOf({ auth: { hmac: wrong, bearer: 'one' } }))
    source.answers(claims(CLAIMS))
    expect((await test(schema.id)).json).toMatchObject({
      outcome: 'failed',
      problems: [expect.stringContaining('401')],
    })
    expect((await replace(schema.id, { hmac: SECRET, bearer: 'two' })).status).toBe(204)
    expect((await test(schema.id)).json).toMatchObject({ outcome: 'claims', credentialSubject: CLAIMS, problems: [] })
    expect(source.asked.at(-1)?.headers.authorization).toBe('Bearer two')
    const audit = await rows('SELECT actor, action FROM audit_events WHERE subject_id = $1 ORDER BY id', schema.id)
    expect(audit.slice(-2)).toEqual([
      { actor: 'issuer', action: 'schema.claims_source_secret_replaced' },
      { actor: 'issuer', action: 'schema.claims_source_claims_shown' },
    ])
  })

  it('stays in a further version with the same address, and never goes to another address', async () => {
    const next = async (version: number, url: string) =>
      issuer.service.request('POST', '/schemas', {
        authorization: await issuer.authorization(),
        body: { name: 'Versioned', version, schema: SCHEMA, claimsSource: { url } },
      })
    expect((await postType('Versioned', sourceOf())).status).toBe(201)
    const moved = await next(2, source.url.replace('/claims', '/elsewhere'))
    expect([moved.status, moved.json.message]).toEqual([
      400,
      ['claimsSource.auth must be given: the active version has no claimsSource with this url'],
    ])
    const kept = await next(2, source.url)
    expect(kept.json.claimsSource.auth).toEqual({ hmac: true })
    source.answers(claims(CLAIMS))
    expect((await test(kept.json.id)).json.outcome).toBe('claims')
    expect(source.asked[0]?.headers['webhook-signature']).toMatch(/^v1,/)
  })

  it('keeps its kind', async () => {
    const { status, json: body } = await replace(schemaId, { bearer: 'token' })
    expect([status, body.message]).toEqual([400, ['auth must have exactly: hmac']])
    const [plain] = await rows("SELECT id FROM schemas WHERE name = 'ProofOfPurchase'")
    expect((await replace(String(plain?.id), { hmac: SECRET })).status).toBe(409)
    expect((await replace(crypto.randomUUID(), { hmac: SECRET })).status).toBe(404)
  })

  it('attack: a replayed request has an old time, which the receiver refuses', async () => {
    source.answers(claims(CLAIMS))
    await taken()
    const [asked] = source.asked
    expect(asked).toBeDefined()
    const receiver = new Webhook(SECRET)
    expect(receiver.verify(asked?.text ?? '', asked?.headers ?? {})).toMatchObject({
      type: 'credential.claims_requested',
    })
    const now = Date.now
    Date.now = () => now() + 6 * 60_000
    try {
      expect(() => receiver.verify(asked?.text ?? '', asked?.headers ?? {})).toThrow('too old')
    } finally {
      Date.now = now
    }
    const later = { ...asked?.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 60) }
    expect(() => receiver.verify(asked?.text ?? '', later)).toThrow('No matching signature')
  })
})

describe('a test of a source', () => {
  it('shows the answer once, and stores and issues nothing', async () => {
    source.answers(claims({ degree: 'Chemistry' }))
    const counts = () =>
      rows('SELECT (SELECT count(*) FROM credentials) AS credentials, (SELECT count(*) FROM offerings) AS offerings')
    const before = await counts()
    const answer = await issuer.service.request('POST', `/api/v1/schemas/${schemaId}/claims-source/test`, {
      authorization: await issuer.authorization(),
      body: { reference: 'made-up' },
    })
    expect(answer.json).toEqual({
      outcome: 'claims',
      credentialSubject: { degree: 'Chemistry' },
      milliseconds: expect.any(Number),
      problems: [],
    })
    expect(source.asked[0]?.json.data).toMatchObject({ reference: 'made-up', test: true })
    expect(await counts()).toEqual(before)
    expect(lines.join('')).not.toContain('Chemistry')
  })

  it('attack: shows no claims of a real person without a trace. The audit event has neither person nor claims', async () => {
    const { json: schema } = await postType('Traced', sourceOf())
    const ask = async (sub: string, body: object) =>
      issuer.service.request('POST', `/api/v1/schemas/${schema.id}/claims-source/test`, {
        authorization: await issuer.service.bearer(sub, { roles: ['admin'] }),
        body,
      })
    const events = () =>
      rows(
        `SELECT * FROM audit_events WHERE subject_id = $1 AND action LIKE 'schema.claims_source%' ORDER BY id`,
        schema.id,
      )
    source.answers((_, response) => json(response, 404, {}))
    await ask('curious', { reference: 'M-2026-0042' })
    expect(await events()).toEqual([])
    source.answers(claims({ degree: 'Chemistry' }))
    await ask('curious', { reference: 'M-2026-0042' })
    await ask('boss', { subject: 'ada.lovelace' })
    const recorded = await events()
    expect(recorded.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ['curious', 'schema.claims_source_claims_shown', 'schema'],
      ['boss', 'schema.claims_source_claims_shown', 'schema'],
    ])
    expect(JSON.stringify(recorded)).not.toMatch(/M-2026-0042|ada.lovelace|degree|Chemistry/)
  })

  it('is counted, and its outcome is stored for the checklist', async () => {
    const { json: schema } = await postType('Watched', sourceOf())
    const ask = async () =>
      issuer.service.request('POST', `/api/v1/schemas/${schema.id}/claims-source/test`, {
        authorization: await issuer.authorization(),
        body: { reference: 'made-up' },
      })
    const health = async () =>
      (await issuer.service.platform.stores.claimsSources.health()).find(({ name }) => name === 'Watched')
    source.answers((_, response) => json(response, 400, {}))
    await ask()
    expect(await health()).toMatchObject({ failing: true, lastFailure: expect.stringContaining('status 400') })
    clock.ahead = 1
    source.answers(claims(CLAIMS))
    await ask()
    expect(await health()).toMatchObject({ failing: false })
    const counted = await issuer.service.service.operated.metrics.registry.metrics()
    expect(counted).toMatch(/credence_claims_source_requests_total\{outcome="claims"\} \d+/)
  })

  it('is for admins too', async () => {
    source.answers(claims(CLAIMS))
    const { status, json: body } = await issuer.service.request(
      'POST',
      `/api/v1/schemas/${schemaId}/claims-source/test`,
      { authorization: await issuer.service.bearer('root', { roles: ['admin'] }), body: { reference: 'made-up' } },
    )
    expect([status, body.outcome]).toEqual([200, 'claims'])
  })

  it('has at most three problems, whatever the source sends', async () => {
    source.answers(
      claims(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}${'x'.repeat(500)}`, 'secret value']))),
    )
    const { json: body } = await issuer.service.request('POST', `/api/v1/schemas/${schemaId}/claims-source/test`, {
      authorization: await issuer.authorization(),
      body: { reference: 'made-up' },
    })
    expect(body.outcome).toBe('refused')
    expect(body.problems).toHaveLength(3)
    for (const problem of body.problems) expect(problem.length).toBeLessThanOrEqual(200)
    expect(JSON.stringify(body) + lines.join('')).not.toContain('secret value')
  })
})

describe('the health of a source', () => {
  const asked = async (id: string, handler: Parameters<Source['answers']>[0]) => {
    source.answers(handler)
    await issuer.service.request('POST', `/api/v1/schemas/${id}/claims-source/test`, {
      authorization: await issuer.authorization(),
      body: { reference: 'made-up' },
    })
  }
  const fails: Parameters<Source['answers']>[0] = (_, response) => json(response, 400, {})
  const healthOf = async (type: string) =>
    (await issuer.service.platform.stores.claimsSources.health()).filter(({ name }) => name === type)

  it('is the health of the newest version that is not withdrawn', async () => {
    const { json: first } = await postType('Healed', sourceOf())
    await asked(first.id, fails)
    expect(await healthOf('Healed')).toMatchObject([{ failing: true }])
    const posted = await issuer.service.request('POST', '/schemas', {
      authorization: await issuer.authorization(),
      body: { name: 'Healed', version: 2, schema: SCHEMA, claimsSource: { url: source.url } },
    })
    expect(await healthOf('Healed')).toMatchObject([{ failing: false }])
    for (const { id } of [posted.json, first])
      await issuer.service.request('DELETE', `/schemas/${id}`, { authorization: await issuer.authorization() })
    expect(await healthOf('Healed')).toEqual([])
  })

  it('is stored at most once a minute while it stays the same, and at once when it changes', async () => {
    const { json: schema } = await postType('Steady', sourceOf())
    const noted = async () => {
      const [row] = await rows('SELECT last_success_at AS at FROM claims_sources WHERE schema_id = $1', schema.id)
      return row?.at
    }
    await asked(schema.id, claims(CLAIMS))
    const first = await noted()
    clock.ahead = 30
    await asked(schema.id, claims(CLAIMS))
    expect(await noted()).toEqual(first)
    await asked(schema.id, fails)
    expect(await healthOf('Steady')).toMatchObject([{ failing: true }])
    clock.ahead = 31
    await asked(schema.id, claims(CLAIMS))
    expect(await healthOf('Steady')).toMatchObject([{ failing: false }])
    clock.ahead = 100
    const before = await noted()
    await asked(schema.id, claims(CLAIMS))
    expect(await noted()).not.toEqual(before)
  })
})
