import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { fragment } from '../database/fragment.js'
import { json, storedClaims } from '../database/row-shapes.js'
import type { ClaimsVault } from '../keys/claims/vault.js'
import type { Names } from '../names/names.js'
import {
  namesShape,
  type RequestTexts,
  revealedNames,
  revealedRequestTexts,
  selectedNames,
} from '../names/names-store.js'

const wrappedKey = z.string().nullable()

const zVc = z.strictObject({ id: z.string(), vc: storedClaims, key: wrappedKey })
const zNote = z.strictObject({ id: z.string(), note: storedClaims, key: wrappedKey })
const zSubject = z.strictObject({ id: z.string(), credentialSubject: storedClaims, key: wrappedKey })
const zNamed = z.strictObject({ id: z.string(), ...namesShape })
const zOutcome = z.strictObject({
  id: z.string(),
  result: storedClaims,
  key: wrappedKey,
  discarded: json<unknown>().nullable(),
  checks: json<unknown>().nullable(),
})

const zEvidence = z.strictObject({
  id: z.string(),
  evidence: storedClaims,
  key: wrappedKey,
  createdAt: z.date(),
  expiresAt: z.date(),
})

/** Evidence of a wallet's answer. */
export interface KeptEvidence {
  readonly id: string
  readonly evidence: unknown
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The stored parts of a wallet's answer. A member is null before the answer, and after its deletion. */
export interface SessionOutcome {
  readonly result: unknown
  readonly discarded: unknown
  readonly checks: unknown
}

export type ClaimsStore = ReturnType<typeof createClaimsStore>

/** Reads the claims of records by the ids of the records. Exports read columns of claims here only. Erased claims are null. */
export function createClaimsStore({ sql }: Database, claims: ClaimsVault) {
  return {
    /** `credentials.vc` */
    async ofCredentials(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
      const rows = await sql(zVc)`
        SELECT c.id, c.vc, ${claims.keyOf('credentials.vc', fragment`c.id`)} AS key FROM credentials c
        WHERE c.id = ANY(${[...ids]}::text[])`
      return new Map(rows.map(({ id, vc, key }) => [id, claims.reveal({ column: 'credentials.vc', id }, vc, key)]))
    },

    /** `credentials.status_note`, of credentials that have one */
    async notesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const rows = await sql(zNote)`
        SELECT c.id, c.status_note AS note, ${claims.keyOf('credentials.status_note', fragment`c.id`)} AS key FROM credentials c
        WHERE c.id = ANY(${[...ids]}::text[]) AND c.status_note IS NOT NULL`
      return new Map(
        rows.map(({ id, note, key }) => [
          id,
          claims.reveal<{ readonly text: string }>({ column: 'credentials.status_note', id }, note, key)?.text ?? '',
        ]),
      )
    },

    /** `credentials.names`, of credentials that have names */
    async namesOfCredentials(ids: readonly string[]): Promise<ReadonlyMap<string, Names | null>> {
      const rows = await sql(zNamed)`
        SELECT c.id, ${selectedNames(claims, 'credentials.names', fragment`c`)} FROM credentials c
        WHERE c.id = ANY(${[...ids]}::text[]) AND c.names IS NOT NULL`
      return new Map(
        rows.map((row) => [row.id, revealedNames(claims, { column: 'credentials.names', id: row.id }, row).names]),
      )
    },

    /** `offerings.names`, of offerings that have names */
    async namesOfOfferings(ids: readonly string[]): Promise<ReadonlyMap<string, Names | null>> {
      const rows = await sql(zNamed)`
        SELECT o.id, ${selectedNames(claims, 'offerings.names', fragment`o`)} FROM offerings o
        WHERE o.id = ANY(${[...ids]}::text[]) AND o.names IS NOT NULL`
      return new Map(
        rows.map((row) => [row.id, revealedNames(claims, { column: 'offerings.names', id: row.id }, row).names]),
      )
    },

    /** `verification_sessions.names`, of sessions that have names or a purpose */
    async namesOfSessions(ids: readonly string[]): Promise<ReadonlyMap<string, RequestTexts>> {
      const rows = await sql(zNamed)`
        SELECT s.id, ${selectedNames(claims, 'verification_sessions.names', fragment`s`)} FROM verification_sessions s
        WHERE s.id = ANY(${[...ids]}::text[]) AND s.names IS NOT NULL`
      const place = (id: string) => ({ column: 'verification_sessions.names', id }) as const
      return new Map(rows.map((row) => [row.id, revealedRequestTexts(claims, place(row.id), row)]))
    },

    /** `offerings.credential_subject` */
    async ofOfferings(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
      const rows = await sql(zSubject)`
        SELECT o.id, o.credential_subject AS "credentialSubject",
          ${claims.keyOf('offerings.credential_subject', fragment`o.id`)} AS key
        FROM offerings o WHERE o.id = ANY(${[...ids]}::text[])`
      return new Map(
        rows.map(({ id, credentialSubject, key }) => [
          id,
          claims.reveal({ column: 'offerings.credential_subject', id }, credentialSubject, key),
        ]),
      )
    },

    /** `verification_sessions.result`, `.discarded` and `.checks` */
    async ofSessions(ids: readonly string[]): Promise<ReadonlyMap<string, SessionOutcome>> {
      const rows = await sql(zOutcome)`
        SELECT s.id, s.result, ${claims.keyOf('verification_sessions.result', fragment`s.id`)} AS key, s.discarded, s.checks
        FROM verification_sessions s WHERE s.id = ANY(${[...ids]}::text[])`
      return new Map(
        rows.map(({ id, key, result, ...others }) => [
          id,
          { ...others, result: claims.reveal({ column: 'verification_sessions.result', id }, result, key) },
        ]),
      )
    },

    /** `verification_evidence.evidence`, by the id of its session. A package may have several MiB, so that it is read alone. */
    async ofEvidence(sessionId: string): Promise<KeptEvidence | undefined> {
      const [row] = await sql(zEvidence)`
        SELECT e.id, e.evidence, ${claims.keyOf('verification_evidence.evidence', fragment`e.id`)} AS key,
          e.created_at AS "createdAt", e.expires_at AS "expiresAt"
        FROM verification_evidence e WHERE e.id = ${sessionId}`
      if (row === undefined) return undefined
      const { key, ...kept } = row
      const place = { column: 'verification_evidence.evidence', id: sessionId } as const
      return { ...kept, evidence: claims.reveal(place, row.evidence, key) }
    },
  }
}
