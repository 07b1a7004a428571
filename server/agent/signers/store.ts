import { z } from 'zod'
import { audited } from '../../database/audited.js'
import type { Database } from '../../database/connect.js'
import { emptyFragment, fragment, Step } from '../../database/fragment.js'
import { type ListPart, listPart } from '../../database/list-position.js'
import { json, publicJwk, x5c } from '../../database/row-shapes.js'
import { reuseImages } from '../../images/store.js'
import { currentKey } from '../../keys/store.js'
import type { Branding } from '../branding.js'
import type { DisplayEntry } from '../store.js'

const zSigner = z.strictObject({
  id: z.string(),
  did: z.string(),
  method: z.enum(['key', 'web']),
  display: json<DisplayEntry[]>(),
  branding: json<Branding>().nullable(),
  isDefault: z.boolean(),
  createdBy: z.string().nullable(),
  createdAt: z.date(),
  keySetId: z.string(),
  alg: z.string(),
  publicJwk,
  x5c,
  /** The documents that the key of an issuer signs itself; null for a verifier. */
  signing: z.enum(['every', 'delegated']).nullable(),
})

/** An issuer or verifier record with its current public key. */
export type Signer = z.infer<typeof zSigner>

const zSignersKey = z.strictObject({
  alg: z.string(),
  publicJwk,
  createdAt: z.date(),
  /** Null for a key that signs. */
  retiredAt: z.date().nullable(),
})

/** A current or former signing key of a record. */
export type SignersKey = z.infer<typeof zSignersKey>

export type SignerKind = 'issuer' | 'verifier'

const TABLES = { issuer: fragment`issuers`, verifier: fragment`verifiers` } as const

const SIGNING = { issuer: fragment`r.signing`, verifier: fragment`NULL` } as const

const columnsOf = (kind: SignerKind) => fragment`
  r.id, r.did, r.method, coalesce(r.display, '[]'::jsonb) AS display, r.branding, r.is_default AS "isDefault", r.created_by AS "createdBy",
  r.created_at AS "createdAt", r.key_set_id AS "keySetId", k.alg, k.public_jwk AS "publicJwk", k.x5c, ${SIGNING[kind]} AS signing`

/** A change of the display and branding of a record. */
export interface FaceChange {
  readonly display: readonly DisplayEntry[]
  /** The display that the caller read. */
  readonly before: readonly DisplayEntry[]
  /** The new branding; undefined if the branding stays as it is. */
  readonly branding?: Branding | undefined
  /** The branding that the caller read; undefined if there was none. */
  readonly brandingBefore?: Branding | undefined
  /** The stored images that the new display refers to. */
  readonly imageIds: readonly string[]
}

/** The outcome of a change. Unless it is `done`, nothing was changed. */
export type Renamed = 'done' | 'changed' | 'unknown'

const zRenamed = z.strictObject({ found: z.boolean(), done: z.boolean() })

export type SignerStore = ReturnType<typeof createSignerStore>

export function createSignerStore({ bounded, sql }: Database) {
  return {
    /** Records of all callers, the newest first. */
    page: (kind: SignerKind, part: ListPart): Promise<Signer[]> =>
      bounded(zSigner)`
        SELECT ${columnsOf(kind)} FROM ${TABLES[kind]} r ${currentKey(fragment`r.key_set_id`)}
        WHERE true ${listPart(fragment`r.created_at`, fragment`r.id`, part)}`,

    async find(kind: SignerKind, id: string): Promise<Signer | undefined> {
      const [row] = await sql(zSigner)`
        SELECT ${columnsOf(kind)} FROM ${TABLES[kind]} r ${currentKey(fragment`r.key_set_id`)} WHERE r.id = ${id}`
      return row
    },

    /** Keys of a key set, the newest first. */
    keysOf: (keySetId: string, limit: number): Promise<SignersKey[]> =>
      sql(zSignersKey)`
        SELECT alg, public_jwk AS "publicJwk", created_at AS "createdAt", retired_at AS "retiredAt" FROM keys
        WHERE key_set_id = ${keySetId} ORDER BY created_at DESC, id DESC LIMIT ${limit}`,

    /** Returns the names of the credential types with a version that is assigned to the issuer and is not withdrawn. */
    async typesOf(issuerId: string, limit: number): Promise<string[]> {
      const rows = await sql(z.strictObject({ name: z.string() }))`
        SELECT DISTINCT s.name FROM schema_issuers a JOIN schemas s ON s.id = a.schema_id
        WHERE a.issuer_id = ${issuerId} AND s.withdrawn_at IS NULL ORDER BY s.name LIMIT ${limit}`
      return rows.map(({ name }) => name)
    },

    /**
     * Changes the display of a record of the caller, or of the default record, if display and branding are still as the caller
     * read them. The current display is read while the row is locked. So if two callers change the display at the same
     * time, the second change is refused.
     */
    async rename(kind: SignerKind, id: string, change: FaceChange, sub: string, now: Date): Promise<Renamed> {
      const { display, before, branding, brandingBefore, imageIds } = change
      const brandingText = (value: Branding) => fragment`${JSON.stringify(value)}::jsonb`
      const changesBranding = branding === undefined ? emptyFragment : fragment`, branding = ${brandingText(branding)}`
      const sameBranding =
        branding === undefined
          ? emptyFragment
          : fragment`AND coalesce(r.branding, '{}'::jsonb) = ${brandingText(brandingBefore ?? {})}`
      const theirs = fragment`r.id = ${id} AND (r.created_by = ${sub} OR r.is_default)`
      const renamed = new Step<'id'>(
        'renamed',
        fragment`
          UPDATE ${TABLES[kind]} r SET display = ${JSON.stringify(display)}::jsonb ${changesBranding}
          WHERE ${theirs} AND coalesce(r.display, '[]'::jsonb) = ${JSON.stringify(before)}::jsonb ${sameBranding} RETURNING r.id`,
      )
      const recorded = audited({ of: renamed, actor: sub, action: `${kind}.renamed`, subject: kind })
      const [row] = await sql(zRenamed, [...reuseImages(kind, renamed, imageIds, now), recorded])`
        SELECT EXISTS (SELECT 1 FROM ${TABLES[kind]} r WHERE ${theirs}) AS found, EXISTS (SELECT 1 FROM ${renamed}) AS done`
      if (row?.done === true) return 'done'
      return row?.found === true ? 'changed' : 'unknown'
    },
  }
}
