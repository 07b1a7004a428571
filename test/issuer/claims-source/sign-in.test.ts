import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runTask } from '../../support/maintenance.js'
import { type OpenidProvider, startOpenidProvider } from '../../support/openid-provider.js'
import { query } from '../../support/postgres.js'
import { credentialOf, type Issuer, movingClock, refusalOf, startIssuer } from '../openid4vci/actors.js'
import { responseOf } from '../openid4vci/browser.js'
import { issuanceTasks } from '../openid4vci/issuance-tasks.js'
import { newRequest, redeem, signedIn } from '../openid4vci/sign-in-actors.js'
import { PATIENT_MS } from './actors.js'
import { claims, json, SECRET, type Source, startSource } from './source.js'

const TYPE = 'Diploma'
const CONFIGURATION = `${TYPE}-sd-jwt`
const CLAIMS = { degree: 'Physics' }
const ALICE = { sub: 'alice', name: 'Alice Liddell', given_name: 'Alice', address: { locality: 'Oxford' } }

const clock = movingClock()
let provider: OpenidProvider
let issuer: Issuer
let source: Source

beforeAll(async () => {
  source = await startSource()
  provider = await startOpenidProvider()
  issuer = await startIssuer({
    env: {
      ...provider.env(),
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64url'),
    },
    clock: clock.now,
    maintenance: false,
  })
  await provider.register(issuer.service.url)
  provider.user = ALICE
  const posted = await issuer.service.request('POST', '/schemas', {
    authorization: await issuer.authorization(),
    body: {
      name: TYPE,
      version: 1,
      schema: { type: 'object', properties: { degree: { type: 'string' } }, required: ['degree'] },
      claimsSource: { url: source.url, auth: { hmac: SECRET }, timeoutMs: PATIENT_MS },
    },
  })
  expect(posted.status, posted.text).toBe(201)
})
afterAll(async () => {
  await issuer.service.close()
  await provider.close()
  await source[Symbol.asyncDispose]()
})

const rows = (text: string, ...values: unknown[]) => query(issuer.service.databaseUrl, text, values)

/** Signs Alice in, accepts on the page, and exchanges the code. */
async function accepted(changes: Record<string, string> = {}) {
  const { address, verifier } = newRequest({ scope: CONFIGURATION, ...changes })
  const { browser, id, page } = await signedIn(issuer, provider, address)
  expect(page.status, page.text).toBe(200)
  expect(page.text).toContain('The issuer adds the claims when your wallet takes the credential.')
  const { code = '' } = responseOf(await browser.decide(page, id, 'accept'))
  const answer = await redeem(issuer, code, verifier)
  expect(answer.status, answer.text).toBe(200)
  return { id, token: answer.json.access_token as string, refresh: answer.json.refresh_token as string }
}

const sessionOf = async (authorizationId: string): Promise<string> => {
  const [row] = await rows('SELECT offering_id FROM authorizations WHERE id = $1', authorizationId)
  return String(row?.offering_id)
}

describe('a person who signs in for a type with a claims source, without an offer', () => {
  it('gets the claims of the source, which receives the claims of the sign-in and nothing of the token', async () => {
    source.answers(claims(CLAIMS))
    const { token } = await accepted()
    expect(source.asked).toEqual([])
    const disclosed = credentialOf(await issuer.take(token, CONFIGURATION))
      .split('~')
      .slice(1, -1)
    expect(disclosed.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()).slice(1))).toEqual([
      ['degree', 'Physics'],
    ])
    const { data } = source.asked[0]?.json ?? {}
    expect(data).toMatchObject({ subject: 'alice', signIn: ALICE, credentialConfigurationIds: [CONFIGURATION] })
    for (const name of ['iss', 'aud', 'nonce', 'exp', 'iat', 'at_hash']) expect(data.signIn).not.toHaveProperty(name)
  })

  it('waits if the source answers later; the owner of the type approves with the claims', async () => {
    source.answers((_, response) => json(response, 202, {}))
    const { id, token } = await accepted()
    const answer = await issuer.take(token, CONFIGURATION)
    expect(answer.status, answer.text).toBe(202)
    const sessionId = await sessionOf(id)
    expect(source.asked[0]?.json.data.credentialOfferSessionId).toBe(sessionId)
    expect((await issuer.session(sessionId)).deferred).toBe('pending')
    const approved = await issuer.decide(sessionId, 'approve', { credentialSubject: CLAIMS })
    expect(approved.status, approved.text).toBe(200)
    credentialOf(await issuer.collect(token, answer.json.transaction_id))
  })

  it('attack: nobody else can take the credential, and the creator of another type cannot decide', async () => {
    source.answers((_, response) => json(response, 202, {}))
    const { id, token } = await accepted()
    expect((await issuer.take(token, CONFIGURATION)).status).toBe(202)
    const sessionId = await sessionOf(id)
    const mallory = await issuer.service.bearer('mallory')
    const decided = await issuer.decide(sessionId, 'approve', { credentialSubject: CLAIMS }, mallory)
    expect(decided.json.message).toBe('Credential offer session not found.')
    const claimed = await issuer.service.request('POST', `/api/v1/offerings/${sessionId}/claim`, {
      authorization: mallory,
    })
    expect(claimed.status).toBe(404)
  })

  it('leaves no claims of the sign-in after an erasure', async () => {
    source.answers(claims(CLAIMS))
    const { id, token } = await accepted()
    credentialOf(await issuer.take(token, CONFIGURATION))
    const stored = async () => (await rows('SELECT user_claims FROM authorizations WHERE id = $1', id))[0]?.user_claims
    expect(await stored()).toMatch(/^ey/)
    const [credential] = await rows(
      'SELECT r.credential_id FROM redemptions r JOIN authorizations a ON a.offering_id = r.offering_id WHERE a.id = $1',
      id,
    )
    const erased = await issuer.service.request('POST', `/api/v1/credentials/${credential?.credential_id}/erase`, {
      client: true,
    })
    expect(erased.status, erased.text).toBeLessThan(300)
    expect(await stored()).toBeNull()
    expect(refusalOf(await issuer.take(token, CONFIGURATION)).slice(0, 2)).toEqual([400, 'credential_request_denied'])
  })

  it('leaves an offering that the maintenance job can work around, if no wallet comes', async () => {
    const { id } = await accepted()
    clock.ahead = 400 * 86_400
    for (const task of issuanceTasks(issuer.service)) await runTask(task, clock.now())
    clock.ahead = 0
    expect(await rows('SELECT id FROM authorizations WHERE id = $1', id)).toEqual([])
  })
})

describe('an offer with claims at issuance for a person who signs in', () => {
  it('is about this person, and the source receives the claims of the sign-in', async () => {
    source.answers(claims(CLAIMS))
    const made = await issuer.makeOffer({
      credentialConfigurationIds: [CONFIGURATION],
      credentialSubject: undefined,
      claims: 'atIssuance',
      forSubject: 'alice',
      reference: 'M-7',
    })
    const { token } = await accepted({
      issuer_state: made.credentialOffer.grants.authorization_code.issuer_state,
    })
    credentialOf(await issuer.take(token, CONFIGURATION))
    expect(source.asked[0]?.json.data).toMatchObject({ subject: 'alice', reference: 'M-7', signIn: ALICE })
  })
})
