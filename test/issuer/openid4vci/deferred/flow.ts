import { expect } from 'vitest'
import { runTask } from '../../../support/maintenance.js'
import { query } from '../../../support/postgres.js'
import type { Answer } from '../../../support/service.js'
import { newWallet } from '../../../support/wallet-actor.js'
import { type Issuer, PRE_AUTHORIZED, SD_JWT } from '../actors.js'
import { issuanceTasks } from '../issuance-tasks.js'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

export const DAY = 86_400

export const UNKNOWN = [
  400,
  'invalid_transaction_id',
  'The transaction_id was not given under this access token, or has been used already.',
]

/** Deferred offers of an issuer, and wallets that wait for its decision (OpenID4VCI 1.0 §9). */
export function deferredFlow(issuer: () => Issuer, now: () => Date) {
  const rows = (sql: string, ...values: unknown[]) => query(issuer().service.databaseUrl, sql, values)
  const newOffer = async (members: Record<string, unknown> = {}): Promise<string> =>
    (await issuer().makeOffer({ deferred: true, ...members })).credentialOfferSessionId

  /** Gets the token response for a new code of an offer. */
  async function tokensFor(offerId: string): Promise<Tokens> {
    const answer = await issuer().requestToken({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer().code(offerId),
    })
    expect(answer.status, answer.text).toBe(200)
    return answer.json
  }

  const refresh = (refreshToken: string, more: Record<string, string> = {}) =>
    issuer().requestToken({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more })

  const transactionOf = (answer: Answer): string => {
    expect(answer.status, answer.text).toBe(202)
    return answer.json.transaction_id
  }

  /** Lets a wallet request a configuration of an offer. The wallet then waits. */
  async function waiting(members: Record<string, unknown> = {}, configuration = SD_JWT) {
    const offerId = await newOffer(members)
    const tokens = await tokensFor(offerId)
    const wallet = await newWallet()
    const transactionId = transactionOf(await issuer().take(tokens.access_token, configuration, wallet))
    return { offerId, tokens, token: tokens.access_token, wallet, transactionId }
  }

  const approved = async (offerId: string, body?: unknown) => {
    const answer = await issuer().decide(offerId, 'approve', body)
    expect(answer.status, answer.text).toBe(200)
    return answer.json
  }

  const maintain = async () => {
    for (const task of issuanceTasks(issuer().service)) await runTask(task, now())
  }

  const onRecord = async (offerId: string) => {
    const [row] = await rows(
      `SELECT o.redemption_count AS counted, count(DISTINCT r.credential_id)::int AS records, count(i.*)::int AS instances
       FROM offerings o LEFT JOIN redemptions r ON r.offering_id = o.id
       LEFT JOIN credential_instances i ON i.credential_id = r.credential_id WHERE o.id = $1 GROUP BY o.id`,
      offerId,
    )
    return row
  }

  return { rows, newOffer, tokensFor, refresh, transactionOf, waiting, approved, maintain, onRecord }
}
