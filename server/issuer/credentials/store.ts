import { z } from 'zod'
import { audited } from '../../database/audited.js'
import { type BatchDone, batchDone, batchRow, lockedBatch } from '../../database/batch.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { storedClaims } from '../../database/row-shapes.js'
import { type ClaimsVault, forgottenKeys } from '../../keys/claims/vault.js'
import type { Names } from '../../names/names.js'
import { namesShape, revealedNames, selectedNames } from '../../names/names-store.js'
import { type Remains, remainsColumn, remainsShape } from '../issuance/remains-store.js'
import { STATUS_REASONS, type StatusChange, type StatusReason, type StatusTimes } from './status.js'

const zCredentialRecord = z.strictObject({
  id: z.string(),
  vc: storedClaims,
  vcKey: z.string().nullable(),
  remains: remainsShape,
  ...namesShape,
})

/** A credential: its object, or the remains after the erasure of its claims. */
export interface CredentialRecord {
  readonly id: string
  readonly vc: Readonly<Record<string, unknown>> | null
  readonly remains: Remains | null
  readonly names: Names | null
}

/** A change of the status of a credential. */
export interface NewStatus {
  readonly id: string
  readonly change: StatusChange
  readonly reason: StatusReason | null
  readonly note: string | undefined
  /** The `sub` of the caller; null for a client secret. */
  readonly actor: string | null
  readonly now: Date
}

/** `unchanged`: a repeat. Only `changed` writes something. */
const zStatusOutcome = z.strictObject({
  outcome: z.enum(['changed', 'unchanged', 'unknown', 'revoked', 'not-suspendable']),
})

export type StatusOutcome = z.infer<typeof zStatusOutcome>['outcome']

const zStoredStatus = z.strictObject({
  revokedAt: z.date().nullable(),
  suspendedAt: z.date().nullable(),
  expiredAt: z.date().nullable(),
  supersededBy: z.string().nullable(),
  supersededInstances: z.int(),
  reason: z.enum(STATUS_REASONS).nullable(),
  note: storedClaims,
  noteKey: z.string().nullable(),
})

/** The status of a credential with the reason and the note of its last change. */
export interface NotedStatus extends StatusTimes {
  readonly reason: StatusReason | null
  readonly note: string | undefined
  /** The id of the credential that replaced it. */
  readonly supersededBy: string | null
  /** The number of instances that refreshes replaced. */
  readonly supersededInstances: number
}

const NOTE = 'credentials.status_note'

export type CredentialStore = ReturnType<typeof createCredentialStore>

export function createCredentialStore({ sql }: Database, claims: ClaimsVault) {
  return {
    /**
     * A credential of a caller: the caller created, claimed or signed it, or one of the caller's DIDs holds it. The caller's
     * DIDs are in the token or belong to the caller's holders.
     */
    async findOwned(id: string, sub: string, tokenDids: readonly string[]): Promise<CredentialRecord | undefined> {
      const [row] = await sql(zCredentialRecord)`
        SELECT c.id, c.vc, ${claims.keyOf('credentials.vc', fragment`c.id`)} AS "vcKey", ${remainsColumn},
          ${selectedNames(claims, 'credentials.names', fragment`c`)}
        FROM credentials c JOIN schemas s ON s.id = c.schema_id
        WHERE c.id = ${id} AND (
          c.owner = ${sub} OR c.holder_did = ANY(${[...tokenDids]}::text[])
          OR EXISTS (SELECT 1 FROM dids d JOIN holders h ON h.id = d.holder_id WHERE d.did = c.holder_did AND h.created_by = ${sub}))`
      if (row === undefined) return undefined
      const { vcKey, ...record } = revealedNames(claims, { column: 'credentials.names', id }, row)
      return { ...record, vc: claims.reveal({ column: 'credentials.vc', id: row.id }, row.vc, vcKey) }
    },

    /**
     * Changes the status of a credential and of all its instances, gives its status lists a new version, and writes the audit row.
     * The database function `change_credential_status` does it. A repeated call changes nothing.
     */
    async changeStatus({ id, change, reason, note, actor, now }: NewStatus): Promise<StatusOutcome> {
      const stored = note === undefined ? undefined : claims.protect({ column: NOTE, id }, { text: note })
      const done = new Step<'outcome'>(
        'done',
        fragment`
          SELECT change_credential_status(${id}, ${change}, ${now}, ${actor}, ${reason}, ${stored?.json ?? null}::json) AS outcome`,
      )
      const changed = new Step<'id'>(
        'changed',
        fragment`SELECT ${id}::text AS id FROM ${done} WHERE ${done.column('outcome')} = 'changed'`,
      )
      const keys = stored === undefined ? [forgottenKeys(NOTE, changed)] : claims.storeKeys([stored], changed)
      const [row] = await sql(zStatusOutcome, keys)`SELECT ${done.column('outcome')} FROM ${done}`
      return row?.outcome ?? 'unknown'
    },

    /**
     * Records the expiry of credentials that are due, at most `limit`, each once. Another process skips the same credentials.
     */
    async expire(now: Date, limit: number): Promise<BatchDone> {
      const due = new Step<'key'>(
        'due',
        lockedBatch({
          table: 'credentials',
          key: 'id',
          due: fragment`expires_at <= ${now} AND expired_at IS NULL AND revoked_at IS NULL`,
          by: 'expires_at',
          limit,
        }),
      )
      const expired = new Step<'id' | 'at'>(
        'expired',
        fragment`
          UPDATE credentials c SET expired_at = ${now} FROM ${due} WHERE c.id = ${due.column('key')}
          RETURNING c.id, c.expires_at AS at`,
      )
      const recorded = audited({ of: expired, actor: null, action: 'credential.expired', subject: 'credential' })
      return batchDone(await sql(batchRow, [recorded])`SELECT at FROM ${expired}`, limit)
    },

    /** The status of a credential with its note; undefined for an unknown credential. */
    async findStatus(id: string): Promise<NotedStatus | undefined> {
      const [row] = await sql(zStoredStatus)`
        SELECT c.revoked_at AS "revokedAt", c.suspended_at AS "suspendedAt", c.status_reason AS reason, c.status_note AS note,
          c.expired_at AS "expiredAt", c.superseded_by AS "supersededBy",
          (SELECT count(*)::int FROM credential_instances i
           WHERE i.credential_id = c.id AND i.revoked_at IS DISTINCT FROM c.revoked_at) AS "supersededInstances",
          ${claims.keyOf(NOTE, fragment`c.id`)} AS "noteKey"
        FROM credentials c WHERE c.id = ${id}`
      if (row === undefined) return undefined
      const { note, noteKey, ...status } = row
      return { ...status, note: claims.reveal<{ readonly text: string }>({ column: NOTE, id }, note, noteKey)?.text }
    },
  }
}
