import { z } from 'zod'
import type { Database } from '../../database/connect.js'
import { emptyFragment, type Fragment, fragment } from '../../database/fragment.js'
import { type ListPart, listPart, where } from '../../database/list-position.js'
import { json, publicJwk, x5c } from '../../database/row-shapes.js'
import { currentKey } from '../../keys/store.js'
import type { Branding } from '../branding.js'
import type { DisplayEntry } from '../store.js'

const zSigningKey = z.strictObject({
  kind: z.enum(['issuer', 'verifier']),
  id: z.string(),
  did: z.string(),
  display: json<DisplayEntry[]>(),
  branding: json<Branding>().nullable(),
  isDefault: z.boolean(),
  createdBy: z.string().nullable(),
  /** The documents that the key signs itself; null for a verifier, whose key signs every request. */
  signing: z.enum(['every', 'delegated']).nullable(),
  /** When the record was created: the position in the list. */
  createdAt: z.date(),
  alg: z.string(),
  publicJwk,
  x5c,
  /** The key provider that has the key, and the name of the key there; null for a key in the database. */
  provider: z.string().nullable(),
  reference: z.string().nullable(),
  keyCreatedAt: z.date(),
  /** Former keys of the record that have signed status lists, and so still sign them. */
  formerKeys: z.number(),
})

/** The key with which an issuer or verifier record signs. It holds no private part. */
export type SigningKeyRow = z.infer<typeof zSigningKey>

export type RecordKind = SigningKeyRow['kind']

/** Which keys a list has. */
export interface SigningKeyFilter {
  /** The kinds of records: at least one. */
  readonly kinds: readonly RecordKind[]
  /** Keys of one key provider; null for keys in the database, undefined for all keys. */
  readonly provider: string | null | undefined
}

const SOURCES = {
  issuer: fragment`signing, key_set_id FROM issuers`,
  verifier: fragment`NULL AS signing, key_set_id FROM verifiers`,
} as const

const recordsOf = (kind: RecordKind): Fragment => fragment`
  SELECT ${kind} AS kind, id, did, display, branding, is_default, created_by, created_at, ${SOURCES[kind]}`

const recordsOfKinds = (kinds: readonly RecordKind[]): Fragment =>
  kinds.reduce(
    (all, kind, at) => (at === 0 ? recordsOf(kind) : fragment`${all} UNION ALL ${recordsOf(kind)}`),
    emptyFragment,
  )

const keysOf = (kinds: readonly RecordKind[]): Fragment => fragment`
  SELECT r.kind, r.id, r.did, coalesce(r.display, '[]'::jsonb) AS display, r.branding, r.is_default AS "isDefault", r.created_by AS "createdBy",
    r.signing, r.created_at AS "createdAt", k.alg, k.public_jwk AS "publicJwk", k.x5c, k.provider, k.reference, k.created_at AS "keyCreatedAt",
    (SELECT count(*)::int FROM keys f WHERE f.key_set_id = r.key_set_id AND f.retired_at IS NOT NULL
      AND EXISTS (SELECT 1 FROM status_lists l WHERE l.key_id = f.id)) AS "formerKeys"
  FROM (${recordsOfKinds(kinds)}) r ${currentKey(fragment`r.key_set_id`)}`

export type SigningKeyStore = ReturnType<typeof createSigningKeyStore>

export function createSigningKeyStore({ bounded, sql }: Database) {
  return {
    /** Keys of the records of all callers, the newest record first. */
    page: ({ kinds, provider }: SigningKeyFilter, part: ListPart): Promise<SigningKeyRow[]> => {
      const there = where(provider, (name) =>
        name === null ? fragment`k.provider IS NULL` : fragment`k.provider = ${name}`,
      )
      return bounded(zSigningKey)`
        ${keysOf(kinds)} WHERE true ${there} ${listPart(fragment`r.created_at`, fragment`r.id`, part)}`
    },

    async find(kind: RecordKind, id: string): Promise<SigningKeyRow | undefined> {
      const [row] = await sql(zSigningKey)`${keysOf([kind])} WHERE r.id = ${id}`
      return row
    },
  }
}
