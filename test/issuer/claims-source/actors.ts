import { generateKeyPairSync } from 'node:crypto'
import { Writable } from 'node:stream'
import { expect } from 'vitest'
import { createLog } from '../../../server/log/log.js'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { type Issuer, type MovingClock, movingClock, PRE_AUTHORIZED, startIssuer } from '../openid4vci/actors.js'
import { SECRET, type Source, startSource } from './source.js'

/** A key that encrypts the secrets of sources. */
export const KEY = Buffer.alloc(32, 9).toString('base64url')
/** The type whose claims come from the source. */
export const TYPE = 'Diploma'
export const CONFIGURATION = `${TYPE}-sd-jwt`
export const SCHEMA = {
  type: 'object',
  properties: { degree: { type: 'string' }, grade: { type: 'number', maximum: 5 } },
  required: ['degree'],
  additionalProperties: false,
}
/** Claims that the schema accepts. */
export const CLAIMS = { degree: 'Physics', grade: 1 }
/** The answer to a wallet that cannot wait for the claims. */
export const UNAVAILABLE = [
  503,
  'temporarily_unavailable',
  'The claims of the credential cannot be read at the moment. Try again later.',
]
/** The longest time limit of a source. On a busy machine, which may stop for seconds, a short limit would fail a test. */
export const PATIENT_MS = 10_000
/** A private key that fits no certificate. */
export const ANOTHER_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
/** The reference of an offer. It is long, so that random texts do not contain it by chance. */
export const REFERENCE = 'Membership-1'
/** The counts after a failed issuance. */
export const NOTHING = { counted: 0, redemptions: 0 }

/** An issuer with a type whose claims come from a source. */
export interface ClaimsWorld {
  readonly issuer: Issuer
  readonly source: Source
  readonly clock: MovingClock
  /** The lines of the log since the last test. */
  readonly lines: string[]
  /** The schema of the type. */
  readonly schemaId: string
  /** A `claimsSource` with the address of the source. */
  sourceOf(members?: Record<string, unknown>): Record<string, unknown>
  postType(name: string, claimsSource: unknown): Promise<Answer>
  offer(members?: Record<string, unknown>): Promise<Answer>
  /** Makes an offer with claims at issuance. @returns its id */
  made(members?: Record<string, unknown>): Promise<string>
  /** Gets the token response for a new code of an offer. */
  tokensFor(offerId: string): Promise<Answer['json']>
  /** Makes an offer, and takes its credential. */
  taken(
    members?: Record<string, unknown>,
    configuration?: string,
  ): Promise<{ readonly offerId: string; readonly token: string; readonly answer: Answer }>
  /** Tests the source of a schema, about a person who is made up. */
  testSource(schemaId: string): Promise<Answer>
  rows(sql: string, ...values: unknown[]): ReturnType<typeof query>
  /** The redemptions of an offer. */
  onRecord(offerId: string): Promise<unknown>
  /** Forgets the log, and sets the clock back. */
  forget(): void
  close(): Promise<void>
}

/** Starts an issuer and the source of its claims. */
export async function startClaimsWorld(): Promise<ClaimsWorld> {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const clock = movingClock()
  const source = await startSource()
  const issuer = await startIssuer({
    env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', KEY_ENCRYPTION_KEY: KEY },
    clock: clock.now,
    maintenance: false,
    log: createLog('trace', destination),
  })

  const sourceOf = (members: Record<string, unknown> = {}) => ({
    url: source.url,
    auth: { hmac: SECRET },
    timeoutMs: PATIENT_MS,
    ...members,
  })

  const postType = async (name: string, claimsSource: unknown) =>
    issuer.service.request('POST', '/schemas', {
      authorization: await issuer.authorization(),
      body: { name, version: 1, schema: SCHEMA, claimsSource },
    })

  const offer = async (members: Record<string, unknown> = {}) =>
    issuer.service.request('POST', '/credential-offers', {
      authorization: await issuer.authorization(),
      body: { credentialConfigurationIds: [CONFIGURATION], claims: 'atIssuance', reference: REFERENCE, ...members },
    })

  const made = async (members: Record<string, unknown> = {}): Promise<string> => {
    const answer = await offer(members)
    expect(answer.status, answer.text).toBe(201)
    return answer.json.credentialOfferSessionId
  }

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

  const testSource = async (schemaId: string) =>
    issuer.service.request('POST', `/api/v1/schemas/${schemaId}/claims-source/test`, {
      authorization: await issuer.authorization(),
      body: { reference: 'made-up' },
    })

  const rows = (sql: string, ...values: unknown[]) => query(issuer.service.databaseUrl, sql, values)

  const onRecord = async (offerId: string) => {
    const [row] = await rows(
      `SELECT o.redemption_count AS counted, count(r.*)::int AS redemptions FROM offerings o LEFT JOIN redemptions r ON r.offering_id = o.id
     WHERE o.id = $1 GROUP BY o.id`,
      offerId,
    )
    return row
  }

  const posted = await postType(TYPE, sourceOf())
  expect(posted.status, posted.text).toBe(201)
  return {
    issuer,
    source,
    clock,
    lines,
    schemaId: posted.json.id,
    sourceOf,
    postType,
    offer,
    made,
    tokensFor,
    taken,
    testSource,
    rows,
    onRecord,
    forget: () => {
      clock.reset()
      lines.length = 0
    },
    close: async () => {
      await issuer.service.close()
      await source[Symbol.asyncDispose]()
    },
  }
}

/** The claims that a compact SD-JWT discloses. */
export const disclosedIn = (compact: string) =>
  Object.fromEntries(
    compact
      .split('~')
      .slice(1, -1)
      .map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()).slice(1)),
  )
