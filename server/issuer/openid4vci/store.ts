import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { type Announce, recordedEvents, recordedShape } from '../../events/store.js'
import type { ClaimsVault } from '../../keys/claims/vault.js'
import type { DueTimes } from '../issuance/retention.js'
import {
  auditCredential,
  insertCredential,
  insertInstances,
  isSigned,
  type NewInstance,
  protectedVc,
} from '../issuance/store.js'
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
export interface NewRecord extends DueTimes {
  /** The ids of the new rows, used only at the token's first issuance. */
  readonly credentialId: string
  readonly redemptionId: string
  readonly schemaId: string
  readonly issuerId: string
  readonly holderDid: string | null
  readonly vc: unknown
  /** Whether `vc` belongs to a signed JWT VC. A `vc` of this kind replaces an earlier `vc` without a proof. */
  readonly vcIsSigned: boolean
  readonly instances: readonly NewInstance[]
  /** The offering's session, moved to CredentialIssued; null for an offering without a session. */
  readonly session: CredentialOfferSession | null
}

/** The outcome of an issuance. All outcomes except `issued` change nothing, apart from used nonces. */
export type IssuanceOutcome = { readonly kind: 'issued'; readonly credentialId: string } | Refusal

/**
 * The credential that an admitted wallet's instances belong to: a new credential with its redemption, or the token's earlier
 * credential.
 */
function credentialStep(
  claims: ClaimsVault,
  record: NewRecord,
  { earlierId, offeringId, now }: Admission,
  admitted: Step<'id'>,
): Step<'id'> {
  const { credentialId: id, redemptionId, holderDid } = record
  if (earlierId === null) {
    const inserted = insertCredential(claims, { ...record, id, owner: null, createdAt: now }, admitted)
    const redemption = { id: redemptionId, offeringId, recipientDid: holderDid, redeemedBy: null }
    return inserted.along(insertRedemption(redemption, now, inserted))
  }
  const known = new Step<'id'>(
    'target',
    fragment`SELECT c.id FROM credentials c JOIN ${admitted} ON c.id = ${admitted.column('id')}`,
  )
  return known.along(...changedRecord(claims, record, earlierId, known))
}

/** The steps that change a credential with a further issuance: its shown object, and the time to remove its record. */
function changedRecord(claims: ClaimsVault, record: NewRecord, id: string, known: Step<'id'>): readonly Step[] {
  const { recordDueAt, vcIsSigned } = record
  const again = fragment`c.id = ${known.column('id')}`
  // A statement changes a row once: either this step or the next one.
  const extended = new Step(
    'extended',
    fragment`
      UPDATE credentials c SET record_due_at = ${recordDueAt} FROM ${known}
      WHERE ${again} AND (${isSigned} OR NOT ${vcIsSigned}::boolean)`,
  )
  const also = recordDueAt === null ? [] : [extended]
  if (!vcIsSigned) return also
  const vc = protectedVc(claims, id, record.vc)
  // The first signed object stays. An erased credential gets no new claims.
  const shown = new Step<'id'>(
    'shown',
    fragment`
      UPDATE credentials c SET vc = ${vc.json}::json, signed = true, record_due_at = ${recordDueAt}::timestamptz FROM ${known}
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
        insertInstances(record.instances, credential),
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
