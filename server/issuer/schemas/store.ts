import { z } from 'zod'
import type { AuditAction } from '../../database/audit-actions.js'
import { audited } from '../../database/audited.js'
import type { Database } from '../../database/connect.js'
import { type Fragment, fragment, Step } from '../../database/fragment.js'
import { idRow, json } from '../../database/row-shapes.js'
import { useImages } from '../../images/store.js'
import { currentKey } from '../../keys/store.js'
import type { ClaimNames } from '../../protocol/json-schema/declared-claims.js'
import type { MdocMapping } from '../../protocol/mdoc/elements.js'
import type { KeyAttestationRequirement } from '../../protocol/openid4vci/key-attestation.js'
import type { ClaimsSource } from '../claims-source/source.js'
import { type ActiveSets, ON_REFRESH } from '../issuance/active-sets.js'
import type { Retention } from '../issuance/retention.js'

export type { ClaimNames } from '../../protocol/json-schema/declared-claims.js'

/** An image in a display entry. The `uri` of an image of this service is its path (`protocol/stored-image.ts`). */
export interface SchemaImage {
  readonly uri: string
  /** Integrity metadata of an image on another host. */
  readonly 'uri#integrity'?: string | undefined
}

/** SD-JWT VC, "SVG Template Properties". */
export interface SvgTemplateProperties {
  readonly orientation?: 'portrait' | 'landscape' | undefined
  readonly color_scheme?: 'light' | 'dark' | undefined
  readonly contrast?: 'normal' | 'high' | undefined
}

export interface SchemaDisplay {
  readonly name: string
  readonly locale?: string | undefined
  readonly description?: string | undefined
  readonly background_color?: string | undefined
  readonly background_image?: SchemaImage | undefined
  readonly text_color?: string | undefined
  readonly logo?: (SchemaImage & { readonly alt_text?: string | undefined }) | undefined
  readonly svg_templates?: (SchemaImage & { readonly properties?: SvgTemplateProperties | undefined })[] | undefined
}

/** For each claim, a JSON Pointer into the identity provider's claims about a user. */
export type ClaimsFrom = Readonly<Record<string, string>>

/** The columns of `schemaColumns`. */
export const zStoredSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  version: z.number(),
  body: json<Readonly<Record<string, unknown>>>(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  display: json<readonly SchemaDisplay[]>().nullable(),
  /** Names of claims in addition to the titles in the body; null if there are none. */
  claims: json<readonly ClaimNames[]>().nullable(),
  selectivelyDisclosable: z.array(z.string()).nullable(),
  expiresInDays: z.int().nullable(),
  claimsFrom: json<ClaimsFrom>().nullable(),
  /** The required attestation of wallets' keys; null if no attestation is required. */
  keyAttestation: json<KeyAttestationRequirement>().nullable(),
  /** The content of a mobile document of the type; null for a type without mobile documents. */
  mdoc: json<MdocMapping>().nullable(),
  /** Whether its credentials can be suspended. */
  suspendable: z.boolean(),
  /** How many credentials a subject may have at the same time; null without a limit. */
  activeSets: json<ActiveSets>().nullable(),
  /** The choice for earlier instances at a refresh; null for `keep`. */
  onRefresh: z.enum(ON_REFRESH).nullable(),
  /** Credentials are not valid before this time; null if they are valid when they are issued. */
  validFrom: z.date().nullable(),
  /** Whether its credentials are revoked together with attestations. */
  watchAttestations: z.boolean(),
  /** How long claims and records are stored; null if RETENTION_CLAIMS_DAYS decides. */
  retention: json<Retention>().nullable(),
  /** The issuer's own system that is asked for claims; null if there is none. */
  claimsSource: json<ClaimsSource>().nullable(),
  createdAt: z.date(),
  /** Whether this is the highest version of its name that is not withdrawn. */
  active: z.boolean(),
  withdrawn: z.boolean(),
  issuers: z.array(z.string()),
})

/** A schema version as it is stored. */
export type CredentialSchema = z.infer<typeof zStoredSchema>

const zListed = zStoredSchema.extend({
  /** Whether an issuer with a certificate can sign mobile documents of the type. */
  asMdoc: z.boolean(),
})

/** A version for the metadata. */
export type ListedSchema = z.infer<typeof zListed>

/** A new version to be stored. */
export type NewSchema = Omit<CredentialSchema, 'createdAt' | 'active' | 'withdrawn' | 'issuers'> & {
  /** The secrets of the claims source, protected by the vault; null without a source. */
  readonly sourceSecret: string | null
  /** The stored images that its display refers to. */
  readonly imageIds: readonly string[]
}

/** The caller who changes a schema: an admin may change every schema, others only their own. */
export interface SchemaEditor {
  readonly sub: string
  readonly isAdmin: boolean
}

/**
 * `exists`: the name already has this version. `foreign`: the type belongs to another caller. In both cases nothing was
 * written.
 */
export type CreationOutcome = 'created' | 'exists' | 'foreign'

/** The outcome of a change to a schema. Only `done` changes something. */
export type ChangeOutcome = 'done' | 'no-schema' | 'foreign' | 'no-issuer'

/** The parts of a version that type metadata depends on. */
export type VersionRules = Pick<CredentialSchema, 'body' | 'selectivelyDisclosable'>

/** The highest number of versions of a name that are compared with each other, and their highest total size in bytes. */
const MAX_COMPARED = 100
const MAX_COMPARED_BYTES = 262_144

/** Columns of a schema in plain SQL, under the alias `s`. */
export const schemaColumns = fragment`
  s.id, s.name, s.version, s.body, s.title, s.description, s.display, s.claims,
  s.selectively_disclosable AS "selectivelyDisclosable", s.expires_in_days AS "expiresInDays", s.claims_from AS "claimsFrom",
  s.key_attestation AS "keyAttestation", s.mdoc, s.suspendable, s.active_sets AS "activeSets", s.on_refresh AS "onRefresh",
  s.valid_from AS "validFrom", s.watch_attestations AS "watchAttestations", s.retention,
  s.claims_source AS "claimsSource", s.created_at AS "createdAt",
  s.withdrawn_at IS NOT NULL AS withdrawn,
  s.withdrawn_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM schemas newer WHERE newer.name = s.name AND newer.version > s.version AND newer.withdrawn_at IS NULL) AS active,
  ARRAY(SELECT a.issuer_id FROM schema_issuers a WHERE a.schema_id = s.id ORDER BY a.created_at, a.issuer_id) AS issuers`

const isCertified = fragment`${currentKey(fragment`d.key_set_id`)} WHERE k.x5c IS NOT NULL`

/**
 * Condition: an issuer can sign mobile documents of a schema `s`, because its current key has a certificate. Only the
 * assigned issuers sign an assigned schema. Any issuer may sign a schema that is assigned to nobody.
 */
export const asMdocOfAny = fragment`
  (s.mdoc IS NOT NULL AND CASE WHEN EXISTS (SELECT 1 FROM schema_issuers a WHERE a.schema_id = s.id)
    THEN EXISTS (
      SELECT 1 FROM schema_issuers a JOIN issuers d ON d.id = a.issuer_id ${isCertified} AND a.schema_id = s.id)
    ELSE EXISTS (SELECT 1 FROM issuers d ${isCertified}) END)`

/** Condition: the issuer of an offering `o` can sign mobile documents of its schema `s`. */
export const asMdoc = fragment`
  (s.mdoc IS NOT NULL AND EXISTS (SELECT 1 FROM issuers d ${isCertified} AND d.id = o.issuer_id))`

/**
 * For each name, the version in the metadata at a moment: the active version, or else the highest version with open offerings.
 *
 * @param columns columns of `schemas`; they must include `name`
 */
export const listedVersions = (now: Date, columns: Fragment): Fragment => fragment`
  SELECT DISTINCT ON (name) ${columns} FROM schemas WHERE withdrawn_at IS NULL OR offered_until > ${now}
  ORDER BY name, withdrawn_at IS NOT NULL, version DESC`

/** Condition: an editor may change schemas of a credential type `t`. */
export const isTheirs = ({ sub, isAdmin }: SchemaEditor) => fragment`(t.created_by = ${sub} OR ${isAdmin}::boolean)`

/** The schema to be changed, and whether the editor may change it. */
const changed = (schemaId: string, editor: SchemaEditor): Step<'id' | 'permitted'> =>
  new Step(
    'target',
    fragment`
      SELECT s.id, ${isTheirs(editor)} AS permitted FROM schemas s JOIN credential_types t ON t.name = s.name
      WHERE s.id = ${schemaId}`,
  )

const zChange = z.strictObject({ permitted: z.boolean(), issuerFound: z.boolean() })

const zCreation = z.strictObject({ created: z.boolean(), permitted: z.boolean(), exists: z.boolean() })

const zVersionRules = z.strictObject({
  body: zStoredSchema.shape.body.nullable(),
  selectivelyDisclosable: zStoredSchema.shape.selectivelyDisclosable,
})

function changeOutcome(row: z.output<typeof zChange> | undefined): ChangeOutcome {
  if (row === undefined) return 'no-schema'
  if (!row.permitted) return 'foreign'
  return row.issuerFound ? 'done' : 'no-issuer'
}

const recorded = (of: Step<'id'>, action: AuditAction, { sub }: SchemaEditor): Step =>
  audited({ of, actor: sub, action, subject: 'schema' })

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

export type SchemaStore = ReturnType<typeof createSchemaStore>

export function createSchemaStore({ sql }: Database) {
  const select = (where: Fragment) =>
    sql(zStoredSchema)`SELECT ${schemaColumns} FROM schemas s WHERE ${where} ORDER BY s.version DESC`

  return {
    /**
     * Stores a schema with its audit row in one statement. A new name becomes the editor's. The lock on the name's row
     * serialises concurrent first versions: the type belongs to the first caller.
     */
    async insert(schema: NewSchema, editor: SchemaEditor): Promise<CreationOutcome> {
      const { name, version } = schema
      const type = new Step<'created_by'>(
        't',
        fragment`
          INSERT INTO credential_types (name, created_by) VALUES (${name}, ${editor.sub})
          ON CONFLICT (name) DO UPDATE SET created_by = credential_types.created_by RETURNING created_by`,
      )
      const inserted = new Step<'id'>(
        'inserted',
        fragment`
          INSERT INTO schemas (id, name, version, body, title, description, display, claims, selectively_disclosable, expires_in_days,
            claims_from, key_attestation, mdoc, suspendable, active_sets, on_refresh, valid_from, watch_attestations, retention, claims_source, created_by)
          SELECT ${schema.id}, ${name}, ${version}::float, ${JSON.stringify(schema.body)}::json, ${schema.title},
            ${schema.description}, ${jsonOrNull(schema.display)}::jsonb,
            ${jsonOrNull(schema.claims)}::jsonb, ${jsonOrNull(schema.selectivelyDisclosable)}::jsonb,
            ${schema.expiresInDays}::int, ${jsonOrNull(schema.claimsFrom)}::jsonb, ${jsonOrNull(schema.keyAttestation)}::jsonb,
            ${jsonOrNull(schema.mdoc)}::json, ${schema.suspendable}::boolean, ${jsonOrNull(schema.activeSets)}::jsonb,
            ${schema.onRefresh}, ${schema.validFrom}::timestamptz, ${schema.watchAttestations}::boolean, ${jsonOrNull(schema.retention)}::jsonb,
            ${jsonOrNull(schema.claimsSource)}::jsonb, ${editor.sub}
          FROM ${type} t WHERE ${isTheirs(editor)}
          ON CONFLICT (name, version) DO NOTHING RETURNING id`,
      )
      const source = new Step(
        'source',
        fragment`INSERT INTO claims_sources (schema_id, secret) SELECT id, ${schema.sourceSecret} FROM ${inserted}`,
      )
      const also = schema.sourceSecret === null ? [] : [source]
      const [row] = await sql(zCreation, [
        ...also,
        ...useImages('schema', inserted, schema.imageIds),
        recorded(inserted, 'schema.created', editor),
      ])`
        SELECT EXISTS (SELECT 1 FROM ${inserted}) AS created, (SELECT ${isTheirs(editor)} FROM ${type} t) AS permitted,
          EXISTS (SELECT 1 FROM schemas WHERE name = ${name} AND version = ${version}::float) AS exists`
      if (row?.created === true) return 'created'
      return row?.permitted === true || row?.exists === true ? 'exists' : 'foreign'
    },

    async find(id: string): Promise<CredentialSchema | undefined> {
      const [schema] = await select(fragment`s.id = ${id}`)
      return schema
    },

    /** Whether mobile documents of a doctype can be issued. */
    async hasDoctype(doctype: string): Promise<boolean> {
      const rows = await sql(idRow)`
        SELECT id FROM schemas WHERE mdoc ->> 'doctype' = ${doctype} AND withdrawn_at IS NULL LIMIT 1`
      return rows.length > 0
    },

    /** Whether at least one version can be issued. */
    async isAny(): Promise<boolean> {
      return (await sql(idRow)`SELECT id FROM schemas WHERE withdrawn_at IS NULL LIMIT 1`).length > 0
    },

    /** Every version of a name, the newest first. */
    versions: (name: string): Promise<CredentialSchema[]> => select(fragment`s.name = ${name}`),

    async active(name: string): Promise<CredentialSchema | undefined> {
      const [schema] = await sql(zStoredSchema)`
        SELECT ${schemaColumns} FROM schemas s
        WHERE s.name = ${name} AND s.withdrawn_at IS NULL ORDER BY s.version DESC LIMIT 1`
      return schema
    },

    /** The version that describes a name: the active version, or the highest version if all are withdrawn. */
    async describing(name: string): Promise<CredentialSchema | undefined> {
      const [schema] = await sql(zStoredSchema)`
        SELECT ${schemaColumns} FROM schemas s
        WHERE s.name = ${name} ORDER BY s.withdrawn_at IS NOT NULL, s.version DESC LIMIT 1`
      return schema
    },

    /** True if a type has this name, or a version of a type this id. */
    async isKnown(nameOrId: string): Promise<boolean> {
      const rows = await sql(idRow)`SELECT id FROM schemas WHERE id = ${nameOrId} OR name = ${nameOrId} LIMIT 1`
      return rows.length > 0
    },

    /** The rules of every version of a name; undefined if the versions are too large to be compared. */
    async versionRules(name: string): Promise<VersionRules[] | undefined> {
      const rows = await sql(zVersionRules)`
        SELECT CASE WHEN total <= ${MAX_COMPARED_BYTES} THEN body END AS body,
          CASE WHEN total <= ${MAX_COMPARED_BYTES} THEN selectively_disclosable END AS "selectivelyDisclosable"
        FROM (
          SELECT body, selectively_disclosable, sum(octet_length(body::text)
            + coalesce(octet_length(selectively_disclosable::text), 0)) OVER (ORDER BY version DESC) AS total
          FROM (
            SELECT * FROM schemas WHERE name = ${name} ORDER BY version DESC LIMIT ${MAX_COMPARED + 1}) newest) summed`
      const known = rows.flatMap(({ body, ...rules }) => (body === null ? [] : [{ ...rules, body }]))
      return rows.length > MAX_COMPARED || known.length < rows.length ? undefined : known
    },

    /**
     * The versions for metadata: the active version of every name. A name without an active version has the highest version
     * that an open offering still uses.
     */
    listed: (now: Date): Promise<ListedSchema[]> =>
      sql(zListed)`
        SELECT ${schemaColumns}, ${asMdocOfAny} AS "asMdoc" FROM (${listedVersions(now, fragment`*`)}) s ORDER BY s.name`,

    /**
     * Assigns a schema to an issuer record of the editor. An admin may also assign the schema to the default issuer.
     */
    async assign(schemaId: string, issuerId: string, editor: SchemaEditor): Promise<ChangeOutcome> {
      const target = changed(schemaId, editor)
      const issuer = new Step<'id'>(
        'issuer',
        fragment`
          SELECT i.id FROM issuers i
          WHERE i.id = ${issuerId} AND (i.created_by = ${editor.sub} OR (i.is_default AND ${editor.isAdmin}::boolean))`,
      )
      const assigned = new Step<'id'>(
        'assigned',
        fragment`
          INSERT INTO schema_issuers (schema_id, issuer_id)
          SELECT ${target.column('id')}, ${issuer.column('id')} FROM ${target}, ${issuer} WHERE permitted
          ON CONFLICT (schema_id, issuer_id) DO NOTHING RETURNING schema_id AS id`,
      )
      const [row] = await sql(zChange, [recorded(assigned, 'schema.assigned', editor)])`
        SELECT permitted, EXISTS (SELECT 1 FROM ${issuer}) AS "issuerFound" FROM ${target}`
      return changeOutcome(row)
    },

    /** Removes an assignment, even to another caller's issuer record. Does nothing if there is no assignment. */
    async unassign(schemaId: string, issuerId: string, editor: SchemaEditor): Promise<ChangeOutcome> {
      const target = changed(schemaId, editor)
      const removed = new Step<'id'>(
        'removed',
        fragment`
          DELETE FROM schema_issuers a USING ${target}
          WHERE permitted AND a.schema_id = ${target.column('id')} AND a.issuer_id = ${issuerId} RETURNING a.schema_id AS id`,
      )
      const [row] = await sql(zChange, [recorded(removed, 'schema.unassigned', editor)])`
        SELECT permitted, true AS "issuerFound" FROM ${target}`
      return changeOutcome(row)
    },

    /** Withdraws a version permanently. A repeated call changes nothing. */
    async withdraw(schemaId: string, editor: SchemaEditor, now: Date): Promise<ChangeOutcome> {
      const target = changed(schemaId, editor)
      const withdrawn = new Step<'id'>(
        'withdrawn',
        fragment`
          UPDATE schemas s SET withdrawn_at = ${now}, offered_until = (
            SELECT max(coalesce(o.expires_at, 'infinity')) FROM offerings o
            WHERE o.schema_id = s.id AND (o.redemption_limit IS NULL OR o.redemption_count < o.redemption_limit))
          FROM ${target} WHERE permitted AND s.id = ${target.column('id')} AND s.withdrawn_at IS NULL RETURNING s.id`,
      )
      const [row] = await sql(zChange, [recorded(withdrawn, 'schema.withdrawn', editor)])`
        SELECT permitted, true AS "issuerFound" FROM ${target}`
      return changeOutcome(row)
    },
  }
}
