import { z } from 'zod'
import type { Database } from '../database/connect.js'
import { type Fragment, fragment } from '../database/fragment.js'
import { listMadeBy } from '../database/made-by.js'
import { json as jsonColumn } from '../database/row-shapes.js'
import type { ClaimsVault } from '../keys/claims/vault.js'
import type { NameHashes, Names } from '../names/names.js'
import { hasNames, type NamesColumn, namesShape, revealedNames, selectedNames } from '../names/names-store.js'
import type { DcqlQuery } from '../protocol/openid4vp/dcql/dcql-query.js'
import { listedQuery } from '../verifier/sessions/list-store.js'
import { FOUND_KINDS, type FoundKind } from './search.contract.js'

const zRow = z.strictObject({
  kind: z.enum(FOUND_KINDS),
  id: z.string(),
  createdAt: z.date(),
  type: z.string().nullable(),
  name: z.string().nullable(),
  place: z.int(),
  /** The query of a request; null for a query over the limit, and for other kinds. */
  dcqlQuery: jsonColumn<DcqlQuery>().nullable(),
  ...namesShape,
})

/** A thing that was found. */
export type FoundThing = Omit<z.infer<typeof zRow>, 'names' | 'namesKey' | 'place'> & { readonly names: Names | null }

/** The text of a search, and its hashes. */
export interface Sought extends NameHashes {
  readonly text: string
}

/**
 * The kinds that are searched. A `creator` limits a kind to the things of one creator; undefined for the things of all.
 */
export interface Searched {
  readonly type?: Record<string, never>
  readonly offer?: { readonly creator: string | null | undefined }
  readonly credential?: { readonly creator: string | null | undefined }
  readonly request?: { readonly creator: string | null | undefined }
  readonly wallet?: { readonly creator: string }
  readonly vpQuery?: Record<string, never>
}

const NAMES_OF: Readonly<Partial<Record<FoundKind, NamesColumn>>> = {
  offer: 'offerings.names',
  credential: 'credentials.names',
  request: 'verification_sessions.names',
}

const newest = (take: number): Fragment => fragment`ORDER BY n.created_at DESC, n.id DESC LIMIT ${take}`

/** The best places of one kind: an id, then a reference, then a label. */
const best = (parts: Fragment, take: number): Fragment => fragment`
  (SELECT id, created_at, min(place) AS place FROM (${parts}) AS parts GROUP BY id, created_at
   ORDER BY min(place), created_at DESC, id DESC LIMIT ${take})`

/**
 * The things of a table `n` with names. Each part uses the index of the id, of the reference or of the label.
 *
 * @param from the table with the alias `n`, and its joins
 * @param own a further condition (`AND …`)
 */
const named = (from: Fragment, own: Fragment, { text, referenceHash, labelHash }: Sought, take: number): Fragment =>
  best(
    fragment`
      (SELECT n.id, n.created_at, 0 AS place FROM ${from} WHERE n.id = ${text} ${own})
      UNION ALL (SELECT n.id, n.created_at, 1 FROM ${from} WHERE true ${hasNames(fragment`n`, { referenceHash })} ${own} ${newest(take)})
      UNION ALL (SELECT n.id, n.created_at, 2 FROM ${from} WHERE true ${hasNames(fragment`n`, { labelHash })} ${own} ${newest(take)})`,
    take,
  )

/** Condition: a text in clear begins with the sought text, without regard to upper and lower case. */
const begins = (column: Fragment, text: string): Fragment => fragment`
  starts_with(lower(normalize(${column}, NFKC)), lower(normalize(${text}::text, NFKC)))`

const WITHOUT_QUERY = fragment`NULL::json AS "dcqlQuery"`

const WITHOUT_NAMES = fragment`${WITHOUT_QUERY}, NULL::json AS names, NULL::text AS "namesKey"`

export type SearchStore = ReturnType<typeof createSearchStore>

export function createSearchStore({ bounded }: Database, claims: ClaimsVault) {
  /** The statements of the kinds. Each reads at most `take` things. */
  const STATEMENTS: {
    readonly [Kind in FoundKind]: (searched: NonNullable<Searched[Kind]>, sought: Sought, take: number) => Fragment
  } = {
    type: (_, { text }, take) => fragment`
      SELECT 'type' AS kind, t.id, t.created_at AS "createdAt", t.name AS type, t.title AS name, t.place, ${WITHOUT_NAMES}
      FROM (
        SELECT s.id, s.created_at, s.name, s.title,
          CASE WHEN s.id = ${text} OR s.name = ${text} THEN 0 ELSE 1 END AS place
        FROM schemas s
        WHERE s.id = ${text} OR (
          s.withdrawn_at IS NULL
          AND NOT EXISTS (
            SELECT 1 FROM schemas newer WHERE newer.name = s.name AND newer.version > s.version AND newer.withdrawn_at IS NULL)
          AND (${begins(fragment`s.name`, text)} OR ${begins(fragment`s.title`, text)} OR EXISTS (
            SELECT 1 FROM jsonb_array_elements(s.display) AS shown(entry) WHERE ${begins(fragment`entry ->> 'name'`, text)})))
        ORDER BY place, s.created_at DESC, s.id DESC LIMIT ${take}) AS t`,

    // An offer and its session are stored with the same time.
    offer: ({ creator }, sought, take) => fragment`
      SELECT 'offer', o.id, o.created_at, s.name, NULL::text, k.place, ${WITHOUT_QUERY}, ${selectedNames(claims, 'offerings.names', fragment`o`)}
      FROM ${named(
        fragment`offerings n JOIN credential_offer_sessions x ON x.id = n.id`,
        listMadeBy(fragment`x.created_by`, creator),
        sought,
        take,
      )} AS k JOIN offerings o ON o.id = k.id JOIN schemas s ON s.id = o.schema_id`,

    credential: ({ creator }, sought, take) => fragment`
      SELECT 'credential', c.id, c.created_at, s.name, NULL::text, k.place, ${WITHOUT_QUERY}, ${selectedNames(claims, 'credentials.names', fragment`c`)}
      FROM ${named(fragment`credentials n`, listMadeBy(fragment`n.owner`, creator), sought, take)} AS k
      JOIN credentials c ON c.id = k.id JOIN schemas s ON s.id = c.schema_id`,

    request: ({ creator }, sought, take) => fragment`
      SELECT 'request', v.id, v.created_at, NULL::text, NULL::text, k.place,
        ${listedQuery(fragment`v`)}, ${selectedNames(claims, 'verification_sessions.names', fragment`v`)}
      FROM ${named(fragment`verification_sessions n`, listMadeBy(fragment`n.created_by`, creator), sought, take)} AS k
      JOIN verification_sessions v ON v.id = k.id`,

    wallet: ({ creator }, { text }, take) => fragment`
      SELECT 'wallet', h.id, h.created_at, NULL::text, h.name, k.place, ${WITHOUT_NAMES}
      FROM ${best(
        fragment`
          (SELECT n.id, n.created_at, 0 AS place FROM holders n WHERE n.id = ${text} AND n.created_by = ${creator})
          UNION ALL (
            SELECT n.id, n.created_at, 1 FROM holders n
            WHERE n.created_by = ${creator} AND ${begins(fragment`n.name`, text)} ${newest(take)})`,
        take,
      )} AS k JOIN holders h ON h.id = k.id`,

    vpQuery: (_, { text }, take) => fragment`
      SELECT 'vpQuery', q.id, q.created_at, NULL::text, q.name, k.place, ${WITHOUT_NAMES}
      FROM ${best(
        fragment`
          (SELECT n.id, n.created_at, 0 AS place FROM vp_queries n WHERE n.id = ${text})
          UNION ALL (
            SELECT n.id, n.created_at, 1 FROM vp_queries n
            WHERE n.name IS NOT NULL AND ${begins(fragment`n.name`, text)} ${newest(take)})`,
        take,
      )} AS k JOIN vp_queries q ON q.id = k.id`,
  }

  const statementOf = <Kind extends FoundKind>(kind: Kind, searched: Searched, sought: Sought, take: number) => {
    const of = searched[kind]
    return of === undefined ? [] : [STATEMENTS[kind](of, sought, take)]
  }

  return {
    /**
     * Finds things of the searched kinds in one statement, exact matches of a kind first, then the newest.
     *
     * @param take the highest number of things of one kind
     */
    async find(searched: Searched, sought: Sought, take: number): Promise<FoundThing[]> {
      const [first, ...others] = FOUND_KINDS.flatMap((kind) => statementOf(kind, searched, sought, take))
      if (first === undefined) return []
      const all = others.reduce((before, part) => fragment`${before} UNION ALL (${part})`, fragment`(${first})`)
      const rows = await bounded(zRow)`
        SELECT * FROM (${all}) AS found(kind, id, "createdAt", type, name, place, "dcqlQuery", names, "namesKey")
        ORDER BY kind, place, "createdAt" DESC, id DESC`
      return rows.map(({ place: _, ...row }) => {
        const column = NAMES_OF[row.kind]
        if (column !== undefined) return revealedNames(claims, { column, id: row.id }, row)
        const { names: _names, namesKey: _key, ...others } = row
        return { ...others, names: null }
      })
    },
  }
}
