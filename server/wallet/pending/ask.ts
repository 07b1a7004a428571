import { Oauth2ClientErrorResponseError } from '@openid4vc/oauth2'
import type { Log } from '../../log/log.js'
import type { WalletCredentials } from '../credentials/credentials.js'
import { failureReason } from '../exchange/failure.js'
import { IssuerRefusal } from '../openid4vci/ask-issuer.js'
import { collect, type Deferral, refreshed, type Transaction } from '../openid4vci/deferral.js'
import type { Grant, Session } from '../openid4vci/issuance.js'
import type { IssuerSessions } from '../openid4vci/issuer-sessions.js'
import type { TakeAnswer } from '../openid4vci/take-answer.js'
import type { DeferralContents } from './content.js'
import type { HeldPending, PendingIssuanceStore } from './store.js'
import { nextAsk } from './times.js'

/** An access token that expires within this time is replaced before use. */
const SOON_MS = 30_000

/** One round of requests. */
interface Round {
  readonly row: HeldPending
  readonly session: Session
  /** The deferral with the newest tokens. */
  deferral: Deferral
}

const grantWith = (round: Round, grant: Grant) => {
  round.deferral = { ...round.deferral, grant }
}

const isUnauthorized = (thrown: unknown) => thrown instanceof IssuerRefusal && thrown.status === 401

const TRY_AGAIN: readonly number[] = [408, 425, 429]
/** Final errors of a token endpoint. Other errors, such as an error about a proof, may not happen the next time. */
const ENDED: readonly string[] = ['invalid_grant', 'invalid_client', 'unauthorized_client', 'unsupported_grant_type']

/** Whether the wait is over: the issuer refuses (OpenID4VCI 1.0 §9.3), or the authorization has ended (RFC 6749 §5.2). */
function isFinal(thrown: unknown, { token }: Grant): boolean {
  if (thrown instanceof IssuerRefusal) {
    // If there is a refresh token, only the token endpoint decides whether the authorization has ended.
    if (isUnauthorized(thrown)) return token.refresh_token === undefined
    return thrown.status < 500 && !TRY_AGAIN.includes(thrown.status)
  }
  return thrown instanceof Oauth2ClientErrorResponseError && ENDED.includes(thrown.errorResponse.error)
}

/** Dependencies of {@link createAskAgain}. */
export interface AskAgainPorts {
  readonly store: Pick<PendingIssuanceStore, 'recordRefusal' | 'remove' | 'update'>
  readonly contents: DeferralContents
  readonly resume: IssuerSessions['resume']
  readonly takeAnswer: TakeAnswer
  readonly keep: WalletCredentials['keep']
  readonly clock: () => Date
  readonly log: Pick<Log, 'info' | 'warn'>
}

/**
 * Asks an issuer for the credentials that it deferred (OpenID4VCI 1.0 §9), while the tokens are valid. Received credentials are
 * verified and stored. A refusal ends the wait for a credential. All other credentials are requested again later.
 */
export type AskAgain = ReturnType<typeof createAskAgain>

/** Creates {@link AskAgain} from its dependencies. */
export function createAskAgain({ store, contents, resume, takeAnswer, keep, clock, log }: AskAgainPorts) {
  /** Stores the new tokens before their first use, because the former refresh token may now be invalid. */
  async function refresh(round: Round): Promise<void> {
    const { row, session } = round
    grantWith(round, await refreshed(session, round.deferral.grant, clock))
    const held = await store.update(row, await contents.protect(row.id, round.deferral), row.heldUntil)
    if (!held) throw new Error('Another process has taken over these deferred credentials.')
  }

  /** Asks once, and a second time with a new access token if the first token is no longer valid. */
  async function answerTo(round: Round, transaction: Transaction) {
    const { session } = round
    try {
      return await collect(session, round.deferral.grant, transaction)
    } catch (thrown) {
      if (!isUnauthorized(thrown) || round.deferral.grant.token.refresh_token === undefined) throw thrown
      await refresh(round)
      return collect(session, round.deferral.grant, transaction)
    }
  }

  /** Reports why a transaction brought no credential, and whether the transaction has ended. */
  async function report({ row }: Round, { expected }: Transaction, thrown: unknown, ends: boolean): Promise<void> {
    const { configurationId } = expected
    const reason = failureReason(thrown)
    log.warn({ reason, configurationId, pending: row.id, ends }, 'deferred credential was not taken')
    if (ends) await store.recordRefusal(row.id)
  }

  /** @returns the transaction to ask for again; undefined for a transaction that has ended. */
  async function asked(round: Round, transaction: Transaction): Promise<Transaction | undefined> {
    const { row, session } = round
    const answer = await answerTo(round, transaction)
    grantWith(round, answer.grant)
    try {
      const response = answer.read()
      if (response.kind === 'deferred') return { ...transaction, intervalSeconds: response.intervalSeconds }
      const holder = { holderId: row.holderId, actor: row.createdBy }
      await takeAnswer(session, answer.grant, response, transaction, (taken) => keep(holder, taken))
      const { configurationId } = transaction.expected
      log.info({ configurationId, pending: row.id }, 'deferred credential taken')
    } catch (thrown) {
      // The issuer does not send the credential twice, so any fault in the answer is final.
      if (failureReason(thrown) === undefined) throw thrown
      await report(round, transaction, thrown, true)
    }
    return undefined
  }

  async function askedOrKept(round: Round, transaction: Transaction): Promise<Transaction | undefined> {
    try {
      return await asked(round, transaction)
    } catch (thrown) {
      if (failureReason(thrown) === undefined) throw thrown
      const ends = isFinal(thrown, round.deferral.grant)
      await report(round, transaction, thrown, ends)
      return ends ? undefined : transaction
    }
  }

  /** Asks for each transaction once. Tokens that expire soon are replaced first. If the issuer is unreachable, nothing changes. */
  async function roundOf(row: HeldPending, deferral: Deferral): Promise<Deferral> {
    const round: Round = { row, session: await resume(deferral), deferral }
    const { token, expiresAt } = deferral.grant
    const endsSoon = expiresAt !== undefined && expiresAt.getTime() < clock().getTime() + SOON_MS
    if (endsSoon && token.refresh_token !== undefined) await refresh(round)
    const left: Transaction[] = []
    for (const transaction of deferral.transactions) {
      const after = await askedOrKept(round, transaction)
      if (after !== undefined) left.push(after)
    }
    return { ...round.deferral, transactions: left }
  }

  async function roundOrSame(row: HeldPending, deferral: Deferral): Promise<Deferral> {
    try {
      return await roundOf(row, deferral)
    } catch (thrown) {
      const reason = failureReason(thrown)
      if (reason === undefined) throw thrown
      const ends = isFinal(thrown, deferral.grant)
      log.warn({ reason, pending: row.id, ends }, 'issuer cannot be asked for deferred credentials')
      if (ends) await store.recordRefusal(row.id)
      return ends ? { ...deferral, transactions: [] } : deferral
    }
  }

  return async (row: HeldPending): Promise<void> => {
    const left = await roundOrSame(row, await contents.open(row))
    if (left.transactions.length === 0) return store.remove(row)
    await store.update(row, await contents.protect(row.id, left), nextAsk(left, row.createdAt, clock()))
  }
}
