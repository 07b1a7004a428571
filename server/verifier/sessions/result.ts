import { createHash, timingSafeEqual } from 'node:crypto'
import { errors } from '../../api/errors.js'
import { mayActOn, type Reach } from '../../auth/rights.js'
import type { Config } from '../../config/config.js'
import type { DiscardedPresentation } from '../presentations/presentation-error.js'
import type { VerifiedClaims } from '../presentations/verified-claims.js'
import type { StoredResult, VerificationSessionStore } from './store.js'

/** The reader of a result. */
export interface ResultReader {
  /** The sessions whose results the reader may read. */
  readonly reach: Reach
  /** Whether a matching response code stays valid. */
  readonly onlyLooks: boolean
}

export interface SessionResult {
  readonly verificationSessionId: string
  readonly verifiedAt: string
  readonly credentials: VerifiedClaims[]
  readonly discarded: DiscardedPresentation[]
}

/** The database holds only the hash of a response code. */
export const responseCodeHash = (code: string): string => createHash('sha256').update(code).digest('base64url')

/** @throws 403 for a session that the reader does not reach */
function assertReader(reach: Reach, { createdBy }: Pick<StoredResult, 'createdBy'>): void {
  if (!mayActOn(reach, createdBy)) throw errors.resultDenied()
}

function matches(stored: StoredResult, responseCode: string): boolean {
  if (stored.responseCodeHash === null || stored.responseCodeUsedAt !== null) return false
  const [sent, known] = [Buffer.from(responseCodeHash(responseCode)), Buffer.from(stored.responseCodeHash)]
  return timingSafeEqual(sent, known)
}

/** Dependencies of {@link createEraseResult}. */
export interface EraseResultPorts {
  readonly store: Pick<VerificationSessionStore, 'owner' | 'eraseResult'>
  readonly clock: () => Date
}

/**
 * Erases the verified claims of a session and its evidence, for callers who may read them. A session that is open gets no result
 * later. Claims that cannot be decrypted are erased too.
 */
export const createEraseResult =
  ({ store, clock }: EraseResultPorts) =>
  async (reach: Reach, sessionId: string) => {
    const owner = await store.owner(sessionId)
    if (owner === undefined) throw errors.verificationSessionNotFound()
    assertReader(reach, owner)
    const now = clock()
    // Evidence may outlive its session. Then no session has the time of the erasure.
    const at = (await store.eraseResult(sessionId, reach.sub, now)) ?? now
    return { id: sessionId, claimsErasedAt: at.toISOString() }
  }

/** Dependencies of {@link createReadResult}. */
export interface ReadResultPorts {
  readonly store: Pick<VerificationSessionStore, 'result' | 'useResponseCode'>
  readonly clock: () => Date
  readonly config: Pick<Config, 'sessionResultTtlSeconds'>
}

/**
 * Returns the verified claims of a session to callers who may read the claims, until the claims are deleted. A response
 * code is valid once, also if the session ended in Error.
 *
 * @throws 409 before the session ends; 409 with the session's message if the session ended in Error; 410 after the
 *   claims are deleted
 */
export type ReadResult = (
  reader: ResultReader,
  sessionId: string,
  responseCode: string | undefined,
) => Promise<SessionResult>

export const createReadResult =
  ({ store, clock, config }: ReadResultPorts): ReadResult =>
  async (reader, sessionId, responseCode) => {
    const stored = await store.result(sessionId)
    if (stored === undefined) throw errors.verificationSessionNotFound()
    assertReader(reader.reach, stored)
    if (stored.endedAt === null) throw errors.resultNotReady()
    const now = clock()
    if (responseCode !== undefined || (stored.requireResponseCode && stored.responseCodeHash !== null)) {
      // OpenID4VP 1.0 §14.2: several browsers may know the session, but only the browser that was sent back knows the code.
      if (!matches(stored, responseCode ?? '')) throw errors.responseCodeMismatch()
      if (!reader.onlyLooks && !(await store.useResponseCode(sessionId, now))) throw errors.responseCodeMismatch()
    }
    if (stored.state !== 'ResponseVerified') throw errors.resultNotReady(stored.errorMessage)
    const goneAt = stored.endedAt.getTime() + config.sessionResultTtlSeconds * 1000
    if (now.getTime() >= goneAt) throw errors.resultGone()
    if (stored.claimsErasedAt !== null) throw errors.resultErased()
    if (stored.result === null) throw errors.resultGone()
    return {
      verificationSessionId: sessionId,
      verifiedAt: stored.endedAt.toISOString(),
      credentials: stored.result as VerifiedClaims[],
      discarded: [...(stored.discarded ?? [])],
    }
  }
