import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { type Fragment, fragment } from '../database/fragment.js'
import { json, storedClaims } from '../database/row-shapes.js'
import type { ClaimsName } from '../keys/at-rest/columns.js'
import type { ClaimsVault } from '../keys/claims/vault.js'
import type { Names } from '../names/names.js'
import { namesShape, selectedNames } from '../names/names-store.js'
import type { DcqlQuery } from '../protocol/openid4vp/dcql/dcql-query.js'
import type { PresentationChecks } from '../verifier/presentations/presentation-error.js'

const zRow = z.strictObject({ id: z.string(), ...namesShape, claims: storedClaims, claimsKey: z.string().nullable() })

const zVerification = zRow.extend({
  checks: json<PresentationChecks[]>().nullable(),
  dcqlQuery: json<DcqlQuery>().nullable(),
})

/** The parts of an event that are read when it is sent. The outbox holds no such part. */
export interface Content {
  readonly names: Names | null
  /** Null if they are no longer stored, or if they were not asked for. */
  readonly claims: unknown
  readonly checks: readonly PresentationChecks[]
  readonly dcqlQuery: DcqlQuery | null
}

/** The kind of thing that an event is about. */
export type Kind = 'offer' | 'verification' | 'credential'

const NAMES = {
  offer: 'offerings.names',
  verification: 'verification_sessions.names',
  credential: 'credentials.names',
} as const

const CLAIMS = {
  offer: 'offerings.credential_subject',
  verification: 'verification_sessions.result',
  credential: 'credentials.vc',
} as const satisfies Record<Kind, ClaimsName>

export type ContentStore = ReturnType<typeof createContentStore>

/** Reads the content of events when they are sent. A value that cannot be decrypted is left out. */
export function createContentStore({ sql }: Database, claims: ClaimsVault) {
  const readable = <T>(read: () => T | null): T | null => {
    try {
      return read()
    } catch {
      // The vault has reported the refused value. The event is sent without it.
      return null
    }
  }

  const contentOf = (kind: Kind, row: z.infer<typeof zRow>): Content => ({
    names: readable(() => claims.reveal<Names>({ column: NAMES[kind], id: row.id }, row.names, row.namesKey)),
    claims: readable(() => claims.reveal<unknown>({ column: CLAIMS[kind], id: row.id }, row.claims, row.claimsKey)),
    checks: [],
    dcqlQuery: null,
  })

  /** The columns with the claims, if an event of the batch needs them. */
  const claimsColumns = (kind: Kind, stored: Fragment, id: Fragment, full: readonly string[]): Fragment =>
    full.length === 0
      ? fragment`NULL::json AS claims, NULL::text AS "claimsKey"`
      : fragment`CASE WHEN ${id} = ANY(${[...full]}::text[]) THEN ${stored} END AS claims, ${claims.keyOf(CLAIMS[kind], id)} AS "claimsKey"`

  return {
    /**
     * Reads the content of things of one kind, in one statement. A thing that is no longer stored is missing.
     *
     * @param full the ids whose claims are needed
     */
    async read(kind: Kind, ids: readonly string[], full: readonly string[]): Promise<Map<string, Content>> {
      const wanted = [...ids]
      const names = selectedNames(claims, NAMES[kind], fragment`t`)
      if (kind === 'verification') {
        const rows = await sql(zVerification)`
          SELECT t.id, ${names}, ${claimsColumns(kind, fragment`t.result`, fragment`t.id`, full)},
            CASE WHEN t.state = 'Error' THEN t.checks END AS checks, CASE WHEN t.state = 'Error' THEN t.dcql_query END AS "dcqlQuery"
          FROM verification_sessions t WHERE t.id = ANY(${wanted}::text[])`
        return new Map(
          rows.map((row) => [row.id, { ...contentOf(kind, row), checks: row.checks ?? [], dcqlQuery: row.dcqlQuery }]),
        )
      }
      const rows =
        kind === 'offer'
          ? await sql(zRow)`
              SELECT t.id, ${names}, ${claimsColumns(kind, fragment`t.credential_subject`, fragment`t.id`, full)}
              FROM offerings t WHERE t.id = ANY(${wanted}::text[])`
          : await sql(zRow)`
              SELECT t.id, ${names}, ${claimsColumns(kind, fragment`t.vc`, fragment`t.id`, full)}
              FROM credentials t WHERE t.id = ANY(${wanted}::text[])`
      return new Map(rows.map((row) => [row.id, contentOf(kind, row)]))
    },
  }
}
