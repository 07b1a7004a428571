import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { type Announce, recordedEvents, recordedShape } from '../../events/store.js'
import type { ClaimsVault } from '../../keys/claims/vault.js'
import type { HashedNames } from '../../names/names.js'
import { watchSteps } from '../attestation-watch/store.js'
import type { WatchedStatus } from '../attestation-watch/watched.js'
import type { DueTimes } from '../issuance/retention.js'
import {
  auditCredential,
  insertCredential,
  insertInstances,
  isSigned,
  type NewInstance,
  protectedVc,
} from '../issuance/store.js'
import type { RecordedValidity } from '../issuance/validity.js'
import { insertRedemption } from '../offerings/redemption-store.js'
import {
  type Admission,
  admission,
  admissionColumns,
  type Refusal,
  refusalOf,
  spent,
  zAdmission,
} from './admission-store.js'
import { createOfferStore } from './offer-store.js'
import { hashRow } from './rows.js'
import type { CredentialOfferSession } from './sessions/session.js'
import { movedSession } from './sessions/store.js'
import { createTokenStore } from './tokens/store.js'
import type { UsedOnce } from './used-once-store.js'

/** The rows that an admitted issuance stores. */
export interface NewRecord extends DueTimes, RecordedValidity {
  /** The ids of the new rows, used only at the token's first issuance. */
  readonly credentialId: string
  readonly redemptionId: string
  readonly schemaId: string
  readonly issuerId: string
  readonly holderDid: string | null
  readonly vc: unknown
  /** The names of the offer; null without names. */
  readonly names: HashedNames | null
  /** Whether `vc` belongs to a signed JWT VC. A `vc` of this kind replaces an earlier `vc` without a proof. */
  readonly vcIsSigned: boolean
  readonly instances: readonly NewInstance[]
  /** The keyed hash of its subject, if a new credential replaces earlier credentials of the subject; otherwise null. */
  readonly subjectHash: string | null
  /** The generation of the access token. */
  readonly generation: number
  /** The statuses of attestations on which the credential depends. */
  readonly watched: readonly WatchedStatus[]
  /** The offering's session, moved to CredentialIssued; null for an offering without a session. */
  readonly session: CredentialOfferSession | null
}

/** The outcome of an issuance. All outcomes except `issued` change nothing, apart from used nonces. */
export type IssuanceOutcome = { readonly kind: 'issued'; readonly credentialId: string } | Refusal

/**
 * The credential that an admitted wallet's instances belong to: a new credential with its redemption, or the token's earlier
 * credential.
 */
function credentialStep(claims: ClaimsVault, record: NewRecord, request: Admission, admitted: Step<'id'>): Step<'id'> {
  const { earlierId, offeringId, now } = request
  const { credentialId: id, redemptionId, holderDid } = record
  if (earlierId === null) {
    const offeredBy = record.session?.createdBy ?? null
    const inserted = insertCredential(claims, { ...record, id, owner: null, offeredBy, createdAt: now }, null, admitted)
    const redemption = { id: redemptionId, offeringId, recipientDid: holderDid, redeemedBy: null }
    return inserted.along(insertRedemption(redemption, now, inserted))
  }
  const retired = refreshed(request, admitted)
  const known = new Step<'id'>(
    'target',
    fragment`SELECT c.id FROM credentials c JOIN ${retired} ON c.id = ${retired.column('id')}`,
  )
  return known.along(...changedRecord(claims, record, earlierId, known))
}

/**
 * The step after which instances may be added to a credential. If a refresh replaces earlier instances, it revokes the earlier
 * instances of the configuration, with the database function `retire_instances`.
 */
function refreshed({ generation, configurationId, now }: Admission, admitted: Step<'id'>): Step<'id'> {
  if (generation === null || generation === 0) return admitted
  return new Step<'id'>(
    'refreshed',
    fragment`
      SELECT ${admitted.column('id')}, retire_instances(${admitted.column('id')}, ${configurationId}, ${generation}::int, ${now}) AS count
      FROM ${admitted}`,
  )
}

/**
 * The steps that change a credential with a further issuance: its shown object, its expiry, and the time to remove its record. A
 * credential whose new instances expire later is not expired any more.
 */
function changedRecord(claims: ClaimsVault, record: NewRecord, id: string, known: Step<'id'>): readonly Step[] {
  const { recordDueAt, expiresAt, vcIsSigned } = record
  const again = fragment`c.id = ${known.column('id')}`
  const lasts = fragment`
    record_due_at = ${recordDueAt}::timestamptz, expires_at = GREATEST(c.expires_at, ${expiresAt}::timestamptz),
    expired_at = CASE WHEN ${expiresAt}::timestamptz > c.expires_at THEN NULL ELSE c.expired_at END`
  // A statement changes a row once: either this step or the next one.
  const extended = new Step(
    'extended',
    fragment`
      UPDATE credentials c SET ${lasts} FROM ${known}
      WHERE ${again} AND (${isSigned} OR NOT ${vcIsSigned}::boolean)`,
  )
  const also = recordDueAt === null && expiresAt === null ? [] : [extended]
  if (!vcIsSigned) return also
  const vc = protectedVc(claims, id, record.vc)
  // The first signed object stays. An erased credential gets no new claims.
  const shown = new Step<'id'>(
    'shown',
    fragment`
      UPDATE credentials c SET vc = ${vc.json}::json, signed = true, ${lasts} FROM ${known}
      WHERE ${again} AND NOT ${isSigned} AND c.claims_erased_at IS NULL RETURNING c.id`,
  )
  return [...also, shown, ...claims.storeKeys([vc], shown)]
}

const zIssued = zAdmission.extend(recordedShape)

export type Openid4vciStore = ReturnType<typeof createOpenid4vciStore>

/** The statements of the wallet's flow: offer, token and issuance. */
export function createOpenid4vciStore(database: Database, claims: ClaimsVault, announce: Announce) {
  const { sql } = database
  return {
    ...createOfferStore(database, claims, announce),
    ...createTokenStore(database, claims, announce),

    /** Marks a nonce as used before its issuance is admitted. @returns false if the nonce was used before */
    async useNonce({ hash, expiresAt }: UsedOnce): Promise<boolean> {
      const rows = await sql(hashRow)`
        INSERT INTO used_nonces (hash, expires_at) VALUES (${hash}, ${expiresAt}) ON CONFLICT DO NOTHING RETURNING hash`
      return rows.length > 0
    },

    /** Admits a wallet to an issuance and stores the issued credential, in one statement: both happen, or neither. */
    async issue(request: Admission, record: NewRecord): Promise<IssuanceOutcome> {
      const steps = admission(request)
      const credential = credentialStep(claims, record, request, steps.admitted)
      const transitions = movedSession(record.session, request.now, credential)
      const also = [
        ...spent(request, credential),
        insertInstances(record.instances, credential, record.generation),
        ...watchSteps(record.watched, credential, request.now),
        auditCredential({ actor: null, action: 'credential.issued' }, credential),
      ]
      const [row] = await sql(zIssued, also)`SELECT ${admissionColumns(steps)}, ${recordedEvents(transitions)}`
      announce(row?.recorded)
      return refusalOf(row, request) ?? { kind: 'issued', credentialId: request.earlierId ?? record.credentialId }
    },

    /** Removes at most `limit` used nonces that expired before a moment and lie outside the partitions of their time. */
    async removeNonces(before: Date, limit: number): Promise<BatchDone> {
      const removed = await sql(deletedRow)`${deletedBatch(expiredBatch('used_nonces_default', 'hash', before, limit))}`
      return batchDone(removed, limit)
    },
  }
}
