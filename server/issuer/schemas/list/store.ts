import { z } from 'zod'
import type { Database } from '../../../database/connect.js'
import { fragment } from '../../../database/fragment.js'
import { type TimedPart, timedPart, where } from '../../../database/list-position.js'
import { json } from '../../../database/row-shapes.js'
import type { SchemaDisplay } from '../store.js'

const zListedSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  version: z.number(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  display: json<SchemaDisplay[]>().nullable(),
  hasMdoc: z.boolean(),
  active: z.boolean(),
  withdrawn: z.boolean(),
  createdAt: z.date(),
})

/** A schema version in lists, without its large members. */
export type ListedSchema = z.infer<typeof zListedSchema>

export interface SchemaFilters {
  readonly name?: string | undefined
  readonly active?: boolean | undefined
}

/** A list leaves out a larger `display`, so that its pages stay small. */
const MAX_DISPLAY_BYTES = 16_384

/** Condition: `s` is the highest version of its name that is not withdrawn. */
const isActive = fragment`
  (s.withdrawn_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM schemas newer WHERE newer.name = s.name AND newer.version > s.version AND newer.withdrawn_at IS NULL))`

export type SchemaListStore = ReturnType<typeof createSchemaListStore>

export function createSchemaListStore({ bounded }: Database) {
  return {
    /** Reads one page of versions, the newest first. */
    page: ({ name, active }: SchemaFilters, part: TimedPart): Promise<ListedSchema[]> =>
      bounded(zListedSchema)`
        SELECT s.id, s.name, s.version, s.title, s.description,
          CASE WHEN octet_length(s.display::text) <= ${MAX_DISPLAY_BYTES} THEN s.display END AS display,
          s.mdoc IS NOT NULL AS "hasMdoc", ${isActive} AS active, s.withdrawn_at IS NOT NULL AS withdrawn, s.created_at AS "createdAt"
        FROM schemas s
        WHERE true ${where(name, (is) => fragment`s.name = ${is}`)} ${where(active, (is) => fragment`${isActive} = ${is}`)}
          ${timedPart(fragment`s.created_at`, fragment`s.id`, part)}`,
  }
}
