import { z } from 'zod'
import { recordAudit } from '../../audit/audit.js'
import { audited } from '../../database/audited.js'
import type { Database } from '../../database/connect.js'
import { fragment, Step } from '../../database/fragment.js'
import { idRow, noRow, x5c } from '../../database/row-shapes.js'
import { currentKey } from '../../keys/store.js'
import type { SignerKind } from '../signers/store.js'
import type { Looked } from './state.js'

const looked = {
  status: z.string().nullable(),
  checkedAt: z.date().nullable(),
  failedCheck: z.string().nullable(),
  failure: z.string().nullable(),
}

const zStored = z.strictObject({
  id: z.string(),
  certificate: z.string(),
  fromFile: z.boolean(),
  createdAt: z.date(),
  ...looked,
})

/** A stored registration certificate. */
export type StoredRegistration = z.infer<typeof zStored>

const zDue = z.strictObject({
  id: z.string(),
  certificate: z.string(),
  status: z.string().nullable(),
  checkedAt: z.date().nullable(),
  /** When it was due. */
  at: z.date(),
})

/** A certificate whose status is to be read. */
export type DueRegistration = z.infer<typeof zDue>

const zNewest = z.strictObject({
  party: z.enum(['issuer', 'verifier']),
  /** The id of the record. */
  partyId: z.string(),
  certificate: z.string(),
  intendedUse: z.string().nullable(),
  subject: z.string(),
  endsAt: z.date().nullable(),
  /** The chain of the verifier's current key. For the certificate of an issuer: the chain of the default issuer's key. */
  x5c,
  ...looked,
})

/** The newest certificate of a verifier for a registered party and an intended use, or any certificate of an issuer. */
export type NewestRegistration = z.infer<typeof zNewest>

/** An issuer or verifier record. */
export interface RegistrationOwner {
  readonly kind: SignerKind
  readonly id: string
}

export interface NewRegistration extends Looked {
  readonly id: string
  readonly owner: RegistrationOwner
  readonly certificate: string
  readonly fingerprint: string
  readonly subject: string
  readonly intendedUse: string | null
  readonly issuedAt: Date
  readonly endsAt: Date | null
  readonly dueAt: Date
}

/**
 * The highest number of registration certificates of a verifier, and of all issuers together, because the metadata have the
 * certificates of all issuers. The limit holds for the API, and for a file.
 */
export const MAX_REGISTRATIONS = 20
/** Limit of certificates of a file and of the API together. */
export const MOST_REGISTRATIONS = 2 * MAX_REGISTRATIONS

const zPublished = z.strictObject({ certificate: z.string(), ...looked })

/** A registration certificate of an issuer, with the status that was read last. */
export type IssuersRegistration = z.infer<typeof zPublished>

/** The column that names the record. */
const OWNER = { issuer: fragment`issuer_id`, verifier: fragment`verifier_id` } as const

/** Differs for each certificate of an issuer, and is the same for all certificates of verifiers. */
const eachOfIssuers = fragment`CASE WHEN r.issuer_id IS NULL THEN '' ELSE r.id END`

const columns = fragment`
  r.id, r.certificate, r.from_file AS "fromFile", r.created_at AS "createdAt", r.status, r.checked_at AS "checkedAt",
  r.failed_check AS "failedCheck", r.failure`

/** The key set of the access certificate: of the verifier, or of the default issuer. */
const keySet = fragment`
  SELECT v.key_set_id FROM verifiers v WHERE v.id = r.verifier_id
  UNION ALL SELECT i.key_set_id FROM issuers i WHERE r.verifier_id IS NULL AND i.is_default`

export type RegistrationStore = ReturnType<typeof createRegistrationStore>

/** The registration certificates of verifiers and issuers. */
export function createRegistrationStore({ prisma, sql }: Database) {
  return {
    /** The certificates of a record, the newest first. */
    of: ({ kind, id }: RegistrationOwner): Promise<StoredRegistration[]> =>
      sql(zStored)`
        SELECT ${columns} FROM registration_certificates r WHERE r.${OWNER[kind]} = ${id}
        ORDER BY r.issued_at DESC, r.id LIMIT ${MOST_REGISTRATIONS}`,

    /** The certificates of all issuers, the newest first. */
    ofIssuers: (): Promise<IssuersRegistration[]> =>
      sql(zPublished)`
        SELECT r.certificate, r.status, r.checked_at AS "checkedAt", r.failed_check AS "failedCheck", r.failure
        FROM registration_certificates r WHERE r.issuer_id IS NOT NULL
        ORDER BY r.issued_at DESC, r.id LIMIT ${MOST_REGISTRATIONS}`,

    /**
     * Adds a certificate. Additions wait for one another, so each one counts all earlier ones.
     *
     * @returns `known` if the record has it, `full` if there are too many
     */
    add: ({ owner, ...row }: NewRegistration, createdBy: string): Promise<'added' | 'known' | 'full'> =>
      prisma.$transaction(async (tx) => {
        const { kind, id } = owner
        const own = kind === 'issuer' ? { issuerId: id } : { verifierId: id }
        const counted = { ...(kind === 'issuer' ? { issuerId: { not: null } } : own), fromFile: false }
        const lock = `registration_certificates ${kind === 'issuer' ? kind : id}`
        await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`
        const { fingerprint } = row
        if ((await tx.registrationCertificate.count({ where: { ...own, fingerprint } })) > 0) return 'known'
        if ((await tx.registrationCertificate.count({ where: counted })) >= MAX_REGISTRATIONS) return 'full'
        await tx.registrationCertificate.create({ data: { ...row, ...own, fromFile: false, createdBy } })
        const action = 'registration-certificate.added'
        await recordAudit(tx, { actor: createdBy, action, subject: 'registration-certificate', subjectId: row.id })
        return 'added'
      }),

    /** Removes a certificate. @returns `configured` if it comes from the file; it then stays */
    async remove(owner: RegistrationOwner, id: string, actor: string): Promise<'removed' | 'configured' | 'unknown'> {
      const removed = new Step<'id'>(
        'removed',
        fragment`
          DELETE FROM registration_certificates
          WHERE id = ${id} AND ${OWNER[owner.kind]} = ${owner.id} AND NOT from_file RETURNING id`,
      )
      const action = 'registration-certificate.removed'
      const audit = audited({ of: removed, actor, action, subject: 'registration-certificate' })
      const rows = await sql(idRow, [audit])`SELECT id FROM ${removed}`
      if (rows.length > 0) return 'removed'
      const where = {
        id,
        fromFile: true,
        ...(owner.kind === 'issuer' ? { issuerId: owner.id } : { verifierId: owner.id }),
      }
      return (await prisma.registrationCertificate.count({ where })) > 0 ? 'configured' : 'unknown'
    },

    /** Gives the certificates of the file to the record, and removes former certificates of the file. */
    async replaceFile({ kind, id }: RegistrationOwner, rows: readonly NewRegistration[]): Promise<void> {
      await sql(noRow)`
        DELETE FROM registration_certificates
        WHERE ${OWNER[kind]} = ${id} AND from_file AND NOT fingerprint = ANY(${rows.map(({ fingerprint }) => fingerprint)})`
      for (const row of rows) {
        await sql(noRow)`
          INSERT INTO registration_certificates (id, ${OWNER[kind]}, certificate, fingerprint, subject, intended_use, issued_at, ends_at,
            from_file, status, checked_at, failed_check, failure, due_at)
          VALUES (${row.id}, ${id}, ${row.certificate}, ${row.fingerprint}, ${row.subject}, ${row.intendedUse},
            ${row.issuedAt}::timestamptz, ${row.endsAt}::timestamptz, true, ${row.status}, ${row.checkedAt}::timestamptz,
            ${row.failedCheck}, ${row.failure}, ${row.dueAt}::timestamptz)
          ON CONFLICT (${OWNER[kind]}, fingerprint) DO UPDATE SET from_file = true`
      }
    },

    /**
     * Takes certificates that are due. No other process takes them until `leaseSeconds` have passed, or until their outcome
     * is stored.
     */
    async takeDue(now: Date, limit: number, leaseSeconds: number): Promise<DueRegistration[]> {
      const due = new Step<'id' | 'at'>(
        'due',
        fragment`
          SELECT id, due_at AS at FROM registration_certificates WHERE due_at <= ${now}
          ORDER BY due_at, id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`,
      )
      return sql(zDue)`
        UPDATE registration_certificates r SET due_at = ${new Date(now.getTime() + leaseSeconds * 1000)}::timestamptz FROM ${due}
        WHERE r.id = ${due.column('id')}
        RETURNING r.id, r.certificate, r.status, r.checked_at AS "checkedAt", ${due.column('at')}`
    },

    /** Stores what a look has found, and when the next look is due. */
    async storeLook(id: string, { status, checkedAt, failedCheck, failure }: Looked, dueAt: Date): Promise<void> {
      await sql(noRow)`
        UPDATE registration_certificates SET status = ${status}, checked_at = ${checkedAt}::timestamptz,
          failed_check = ${failedCheck}, failure = ${failure}, due_at = ${dueAt}::timestamptz
        WHERE id = ${id}`
    },

    /**
     * The certificates in use. Requests use the newest of each registered party and intended use of a verifier. The metadata have
     * all certificates of issuers.
     */
    newest: (limit: number): Promise<NewestRegistration[]> =>
      sql(zNewest)`
        SELECT CASE WHEN r.issuer_id IS NULL THEN 'verifier' ELSE 'issuer' END AS party,
          coalesce(r.issuer_id, r.verifier_id) AS "partyId", r.certificate, r.intended_use AS "intendedUse", r.subject, r.ends_at AS "endsAt",
          k.x5c, r.status, r.checked_at AS "checkedAt", r.failed_check AS "failedCheck", r.failure
        FROM (
          SELECT DISTINCT ON (r.issuer_id, r.verifier_id, r.subject, coalesce(r.intended_use, ''), ${eachOfIssuers}) r.*
          FROM registration_certificates r
          ORDER BY r.issuer_id, r.verifier_id, r.subject, coalesce(r.intended_use, ''), ${eachOfIssuers}, r.issued_at DESC, r.id
          LIMIT ${limit}) r, LATERAL (${keySet}) s ${currentKey(fragment`s.key_set_id`)}
        ORDER BY r.issuer_id, r.verifier_id, r.subject, coalesce(r.intended_use, ''), r.issued_at DESC, r.id`,
  }
}
