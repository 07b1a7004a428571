import { Oauth2ClientErrorResponseError } from '@openid4vc/oauth2'
import type { Deps } from '../../deps.js'
import { keep } from '../credentials/keep.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import { failureReason } from '../exchange/failure.js'
import { IssuerRefusal } from '../openid4vci/ask-issuer.js'
import { collect, type Deferral, refreshed, type Transaction } from '../openid4vci/deferral.js'
import type { Grant, Session } from '../openid4vci/issuance.js'
import { issuanceClient } from '../openid4vci/issuance-client.js'
import { issuerMetadata } from '../openid4vci/issuer-metadata.js'
import { takeAnswer } from '../openid4vci/receive.js'
import { openDeferral, protectDeferral } from './content.js'
import { nextAsk } from './pending.js'
import type { HeldPending } from './store.js'

/** What asking for all that one offer deferred may take: less than an exchange that somebody waits for. */
const TOTAL_MS = 10_000
/** An access token that ends so soon is replaced before it is used. */
const SOON_MS = 30_000

/** One round of asking. */
interface Round {
  readonly deps: Deps
  readonly row: HeldPending
  readonly session: Session
  /** With the newest tokens. */
  deferral: Deferral
}

async function sessionFor(deps: Deps, deferral: Deferral): Promise<Session> {
  const { credentialIssuer, dpopKey, instanceKey, grant, transactions } = deferral
  const fetch = boundedFetch(deps.outbound.fetch, TOTAL_MS)
  const anonymous = grant.clientId === undefined
  const client = issuanceClient(deps, { fetch, signers: [dpopKey.signer], instanceKey, anonymous })
  const deferred = transactions.map(({ expected }) => expected.configurationId)
  const metadata = await issuerMetadata(deps, fetch, credentialIssuer, deferred)
  return { ...client, fetch, metadata, dpopKey, instanceKey }
}

const grantWith = (round: Round, grant: Grant) => {
  round.deferral = { ...round.deferral, grant }
}

/** The new tokens are stored before they are used: the former refresh token may be good no more. */
async function refresh(round: Round): Promise<void> {
  const { deps, row, session } = round
  grantWith(round, await refreshed(deps, session, round.deferral.grant))
  const held = await deps.stores.pendingIssuances.update(
    row,
    await protectDeferral(deps, row.id, round.deferral),
    row.heldUntil,
  )
  if (!held) throw new Error('Another process has taken over what was asked for.')
}

const isUnauthorized = (thrown: unknown) => thrown instanceof IssuerRefusal && thrown.status === 401

/** Asks once, and again with a new access token where the first is not good any more. */
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

const TRY_AGAIN: readonly number[] = [408, 425, 429]
/** Of a token endpoint; whatever else it says, such as of a proof, may be another thing next time. */
const ENDED: readonly string[] = ['invalid_grant', 'invalid_client', 'unauthorized_client', 'unsupported_grant_type']

/** Whether nothing more can come: the issuer refuses (OpenID4VCI 1.0 §9.3), or the authorization has ended (RFC 6749 §5.2). */
function isFinal(thrown: unknown, { token }: Grant): boolean {
  if (thrown instanceof IssuerRefusal) {
    // With a refresh token it is the token endpoint that says when the authorization has ended.
    if (isUnauthorized(thrown)) return token.refresh_token === undefined
    return thrown.status < 500 && !TRY_AGAIN.includes(thrown.status)
  }
  return thrown instanceof Oauth2ClientErrorResponseError && ENDED.includes(thrown.errorResponse.error)
}

/** Says why a transaction gave nothing, and that it has ended. */
async function report({ deps, row }: Round, { expected }: Transaction, thrown: unknown, ends: boolean): Promise<void> {
  const { configurationId } = expected
  const reason = failureReason(thrown)
  deps.log.warn({ reason, configurationId, pending: row.id, ends }, 'deferred credential was not taken')
  if (ends) await deps.stores.pendingIssuances.recordRefusal(row.id)
}

/** @returns the transaction as it is to be asked for again; undefined once it has ended. */
async function asked(round: Round, transaction: Transaction): Promise<Transaction | undefined> {
  const { deps, row, session } = round
  const answer = await answerTo(round, transaction)
  grantWith(round, answer.grant)
  try {
    const response = answer.read()
    if (response.kind === 'deferred') return { ...transaction, intervalSeconds: response.intervalSeconds }
    const holder = { holderId: row.holderId, actor: row.createdBy }
    await takeAnswer(deps, session, answer.grant, response, transaction, (taken) => keep(deps, holder, taken))
    deps.log.info(
      { configurationId: transaction.expected.configurationId, pending: row.id },
      'deferred credential taken',
    )
  } catch (thrown) {
    // It is not given twice: whatever was wrong with it, nothing more comes.
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

/** Each transaction once. Tokens that end soon are replaced first, and what cannot be reached is left as it is. */
async function roundOf(deps: Deps, row: HeldPending, deferral: Deferral): Promise<Deferral> {
  const round: Round = { deps, row, session: await sessionFor(deps, deferral), deferral }
  const { token, expiresAt } = deferral.grant
  const endsSoon = expiresAt !== undefined && expiresAt.getTime() < deps.clock().getTime() + SOON_MS
  if (endsSoon && token.refresh_token !== undefined) await refresh(round)
  const left: Transaction[] = []
  for (const transaction of deferral.transactions) {
    const after = await askedOrKept(round, transaction)
    if (after !== undefined) left.push(after)
  }
  return { ...round.deferral, transactions: left }
}

async function roundOrSame(deps: Deps, row: HeldPending, deferral: Deferral): Promise<Deferral> {
  try {
    return await roundOf(deps, row, deferral)
  } catch (thrown) {
    const reason = failureReason(thrown)
    if (reason === undefined) throw thrown
    const ends = isFinal(thrown, deferral.grant)
    deps.log.warn({ reason, pending: row.id, ends }, 'issuer cannot be asked for deferred credentials')
    if (ends) await deps.stores.pendingIssuances.recordRefusal(row.id)
    return ends ? { ...deferral, transactions: [] } : deferral
  }
}

/**
 * Asks an issuer for what it deferred (OpenID4VCI 1.0 §9), within the life of the tokens: what comes is verified and kept, what is
 * refused has ended, and everything else is asked for again later.
 */
export async function askAgain(deps: Deps, row: HeldPending): Promise<void> {
  const { pendingIssuances } = deps.stores
  const left = await roundOrSame(deps, row, await openDeferral(deps, row))
  if (left.transactions.length === 0) return pendingIssuances.remove(row)
  await pendingIssuances.update(
    row,
    await protectDeferral(deps, row.id, left),
    nextAsk(left, row.createdAt, deps.clock()),
  )
}
