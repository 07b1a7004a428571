import { z } from 'zod'
import type { ListDefinition } from '../config/trust-lists.js'
import type { AuditAction } from '../database/audit-actions.js'
import { audited } from '../database/audited.js'
import type { Database } from '../database/connect.js'
import { fragment, Step } from '../database/fragment.js'
import { type ListPart, listPart } from '../database/list-position.js'
import { idRow, json } from '../database/row-shapes.js'

const zAddedList = z.strictObject({
  id: z.string(),
  url: z.string(),
  kind: z.string(),
  profile: z.string().nullable(),
  purpose: z.string(),
  types: json<string[]>().nullable(),
  serviceTypes: json<string[]>().nullable(),
  signer: json<ListDefinition['signer']>(),
  maxAgeHours: z.int().nullable(),
  territory: z.string().nullable(),
  note: z.string().nullable(),
  /** Null for the client secret. */
  createdBy: z.string().nullable(),
  createdAt: z.date(),
})

/** A trusted list that an admin added to the lists of TRUST_LISTS. */
export type AddedList = z.infer<typeof zAddedList>

const columns = fragment`
  id, url, kind, profile, purpose, types, service_types AS "serviceTypes", signer, max_age_hours AS "maxAgeHours", territory, note, created_by AS "createdBy",
  created_at AS "createdAt"`

const zCount = z.strictObject({ count: z.int() })

/** The definition in the form of TRUST_LISTS. The rows were checked when they were added. */
export const definitionOf = ({
  url,
  kind,
  profile,
  purpose,
  types,
  serviceTypes,
  signer,
  maxAgeHours,
  territory,
}: AddedList) =>
  ({
    url,
    kind,
    ...(profile === null ? {} : { profile }),
    purpose,
    ...(types === null ? {} : { types }),
    ...(serviceTypes === null ? {} : { serviceTypes }),
    signer,
    ...(maxAgeHours === null ? {} : { maxAgeHours }),
    ...(territory === null ? {} : { territory }),
  }) as ListDefinition

const auditedList = (action: AuditAction, actor: string | null, of: Step<'id'>): Step =>
  audited({ of, actor, action, subject: 'trust-list' })

export type TrustListStore = ReturnType<typeof createTrustListStore>

/** The trusted lists that admins added. */
export function createTrustListStore({ bounded, sql }: Database) {
  return {
    /** Added lists, newest first. */
    page: (part: ListPart): Promise<AddedList[]> =>
      bounded(zAddedList)`
        SELECT ${columns} FROM trust_lists WHERE true ${listPart(fragment`created_at`, fragment`id`, part)}`,

    /** All added lists, oldest first, at most `limit`. */
    added: (limit: number): Promise<AddedList[]> =>
      sql(zAddedList)`SELECT ${columns} FROM trust_lists ORDER BY created_at, id LIMIT ${limit}`,

    async count(): Promise<number> {
      const [row] = await sql(zCount)`SELECT count(*)::int AS count FROM trust_lists`
      return row?.count ?? 0
    },

    /** @returns undefined if a list with this address and purpose was added before; then nothing was written. */
    async add(
      id: string,
      list: ListDefinition,
      note: string | null,
      createdBy: string | null,
    ): Promise<AddedList | undefined> {
      const { url, kind, profile = null, purpose, types, serviceTypes, signer } = list
      const { maxAgeHours = null, territory = null } = list
      const texts = (values: readonly string[] | undefined) => (values === undefined ? null : JSON.stringify(values))
      const added = new Step<'id'>(
        'added',
        fragment`
          INSERT INTO trust_lists
            (id, url, kind, profile, purpose, types, service_types, signer, max_age_hours, territory, note, created_by)
          VALUES (${id}, ${url}, ${kind}, ${profile}, ${purpose}, ${texts(types)}::json, ${texts(serviceTypes)}::json,
            ${JSON.stringify(signer)}::json, ${maxAgeHours}, ${territory}, ${note}, ${createdBy})
          ON CONFLICT (url, purpose) DO NOTHING RETURNING *`,
      )
      const [row] = await sql(zAddedList, [auditedList('trust-list.added', createdBy, added)])`
        SELECT ${columns} FROM ${added}`
      return row
    },

    /** @returns false for an unknown id. */
    async remove(id: string, actor: string | null): Promise<boolean> {
      const removed = new Step<'id'>('removed', fragment`DELETE FROM trust_lists WHERE id = ${id} RETURNING id`)
      const rows = await sql(idRow, [auditedList('trust-list.removed', actor, removed)])`SELECT id FROM ${removed}`
      return rows.length > 0
    },
  }
}
