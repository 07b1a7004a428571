import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { json } from '../database/row-shapes.js'

/** A JSON column that holds claims; null after the claims were erased. */
const claims = json<unknown>().nullable()

const zVc = z.strictObject({ id: z.string(), vc: claims })
const zSubject = z.strictObject({ id: z.string(), credentialSubject: claims })
const zOutcome = z.strictObject({ id: z.string(), result: claims, discarded: claims, checks: claims })

/** The stored parts of a wallet's answer. A member is null before the answer, and after its deletion. */
export interface SessionOutcome {
  readonly result: unknown
  readonly discarded: unknown
  readonly checks: unknown
}

export type ClaimsStore = ReturnType<typeof createClaimsStore>

/** The claims of records by the ids of the records: the only reader of the columns with claims for exports. */
export function createClaimsStore({ sql }: Database) {
  return {
    /** `credentials.vc` */
    async ofCredentials(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
      const rows = await sql(zVc)`SELECT id, vc FROM credentials WHERE id = ANY(${[...ids]}::text[])`
      return new Map(rows.map(({ id, vc }) => [id, vc]))
    },

    /** `offerings.credential_subject` */
    async ofOfferings(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
      const rows = await sql(zSubject)`
        SELECT id, credential_subject AS "credentialSubject" FROM offerings WHERE id = ANY(${[...ids]}::text[])`
      return new Map(rows.map(({ id, credentialSubject }) => [id, credentialSubject]))
    },

    /** `verification_sessions.result`, `.discarded` and `.checks` */
    async ofSessions(ids: readonly string[]): Promise<ReadonlyMap<string, SessionOutcome>> {
      const rows = await sql(zOutcome)`
        SELECT id, result, discarded, checks FROM verification_sessions WHERE id = ANY(${[...ids]}::text[])`
      return new Map(rows.map(({ id, ...outcome }) => [id, outcome]))
    },
  }
}
