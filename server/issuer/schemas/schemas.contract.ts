import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { isColour, isImageUri, isLanguageTag } from '../../protocol/openid4vci/display.js'
import { zShownName } from '../../protocol/shown-name.js'
import { MAX_DEPTH, pathKey } from './claims.js'

/**
 * A credential type's name: what `credential_type` and `type` hold. Not `__proto__`: metadata name their members after types,
 * and in the hands of many a wallet such a member would become a prototype. Any other name, `constructor` say, is a member.
 */
export const zTypeName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[a-zA-Z0-9_]+$/)
  .refine((name) => name !== '__proto__', { error: 'must not be __proto__' })

const zVersion = z
  .number()
  .positive()
  .max(1e9)
  .meta({ description: 'The highest version of a name that is not withdrawn is the active one.' })

const zColour = z
  .string()
  .max(64)
  .refine(isColour, { error: 'must be a numerical CSS colour such as #1d4fc4 or rgb(29, 79, 196)' })
  .meta({ description: 'A numerical colour of CSS Color Module Level 3.', example: '#1d4fc4' })

/** Room for a small picture; all of them stand in the metadata that wallets read. */
const MAX_IMAGE_URI = 32_768

const zImageUri = z
  .string()
  .max(MAX_IMAGE_URI)
  .refine(isImageUri, { error: 'must be an https: address or a data:image/ URI' })
  .meta({
    format: 'uri',
    description:
      'An `https:` address or a `data:image/…` URI. Metadata leave out data URIs that wallets’ libraries refuse (all that are not ' +
      'base64, and SVG), which `unpublished` of the answer names. An `https:` address may lead to an SVG.',
  })

/** BCP 47 */
const zLocale = z.string().max(35).refine(isLanguageTag, { error: 'must be a language tag such as de or pt-BR' })

/** How wallets may draw a credential (OpenID4VCI 1.0 §12.2.4). */
const zDisplay = z.strictObject({
  name: zShownName,
  locale: zLocale.optional(),
  description: z.string().max(1000).optional(),
  background_color: zColour.optional(),
  background_image: z.strictObject({ uri: zImageUri }).optional(),
  text_color: zColour.optional(),
  logo: z.strictObject({ uri: zImageUri, alt_text: z.string().max(200).optional() }).optional(),
})

/** The same as it is stored: versions from before a rule are shown as they are. */
export const zStoredDisplay = z.object({
  name: z.string(),
  locale: z.string().optional(),
  description: z.string().optional(),
  background_color: z.string().optional(),
  background_image: z.object({ uri: z.string() }).optional(),
  text_color: z.string().optional(),
  logo: z.object({ uri: z.string(), alt_text: z.string().optional() }).optional(),
})

const unlike = (keys: readonly string[]): boolean => new Set(keys).size === keys.length

/** A claims path pointer (Appendix C.1) into the subject. */
const zClaimPath = z
  .array(z.string().min(1).max(200).nullable())
  .min(1)
  .max(MAX_DEPTH)
  .meta({ description: 'Names of members, and null for all elements of an array.' })

/** Names of a claim beside its `title` (OpenID4VCI 1.0 Appendix B.2): one for each language. */
const zClaimNames = z.strictObject({
  path: zClaimPath,
  display: z
    .array(z.strictObject({ name: z.string().min(1).max(200), locale: zLocale }))
    .min(1)
    .max(50)
    .refine((names) => unlike(names.map(({ locale }) => locale.toLowerCase())), {
      error: 'must not have two names in one language',
    }),
})

const zClaims = z
  .array(zClaimNames)
  .max(500)
  .refine((claims) => unlike(claims.map(({ path }) => pathKey(path))), { error: 'must not name a claim twice' })
  .meta({
    description:
      'What claims are called in further languages. A `title` in the schema is in the language of the first of `display`, or English.',
    example: [{ path: ['givenName'], display: [{ name: 'Vorname', locale: 'de' }] }],
  })

/** A JSON pointer (RFC 6901) to a member: not the whole document. */
const zPointer = z
  .string()
  .max(300)
  .regex(/^(?:\/(?:[^~/]|~[01])*)+$/, { error: 'must be a JSON pointer such as /given_name' })

const zClaimsFrom = z.record(z.string().min(1).max(200), zPointer).meta({
  description:
    'By claim the JSON pointer into the claims of ID token and userinfo: whoever signs in can take a credential of these without an offer.',
  example: { givenName: '/given_name' },
})

const zAccepted = z.array(z.string().min(1).max(200)).min(1).max(20)

/** OpenID4VCI 1.0 §12.2.4, Appendix D.2. */
const zKeyAttestation = z
  .strictObject({ keyStorage: zAccepted.optional(), userAuthentication: zAccepted.optional() })
  .meta({
    description:
      'Wallets must have their keys attested by a provider that is trusted here, with one of the accepted values ' +
      '(such as `iso_18045_high`) of each member; an empty object takes every attestation.',
  })

const MAX_NAMESPACES = 16
const MAX_ELEMENTS = 256

const zNamespaces = z
  .record(z.string().min(1).max(200), z.record(z.string().min(1).max(200), zPointer))
  .superRefine((namespaces, { addIssue }) => {
    const problem = (message: string, ...path: string[]) => addIssue({ code: 'custom', message, path })
    const named = Object.entries(namespaces)
    if (named.length === 0) problem('must name a namespace')
    if (named.length > MAX_NAMESPACES) problem(`must not name more than ${MAX_NAMESPACES} namespaces`)
    const counts = named.map(([, elements]) => Object.keys(elements).length)
    if (counts.reduce((sum, count) => sum + count, 0) > MAX_ELEMENTS)
      problem(`must not name more than ${MAX_ELEMENTS} elements`)
    named.forEach(([namespace], at) => {
      if (counts[at] === 0) problem('must name an element', namespace)
    })
  })

/** ISO/IEC 18013-5 §8.3.2.1.2.2 */
const zMdoc = z.strictObject({ doctype: z.string().min(1).max(200), namespaces: zNamespaces }).meta({
  description:
    'What a mobile document (`mso_mdoc`) of the type holds: by namespace and element the JSON pointer into the subject. ' +
    'Issued where ISSUER_X509 is set, as `<name>-mdoc`.',
  example: {
    doctype: 'org.iso.18013.5.1.mDL',
    namespaces: { 'org.iso.18013.5.1': { family_name: '/family_name', birth_date: '/birth_date' } },
  },
})

export const zSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  type: z.string(),
  version: z.number(),
  schemaUri: z.url(),
  schemaBody: z.record(z.string(), z.unknown()),
  title: z.string().optional(),
  description: z.string().optional(),
  display: z.array(zStoredDisplay).optional(),
  unpublished: z
    .array(z.string())
    .optional()
    .meta({
      description:
        'What metadata leave out of `display`: images in data URIs that wallets’ libraries refuse (SVG, and all that are not base64), and ' +
        'a second entry of one language.',
    }),
  claims: zClaims.optional(),
  selectivelyDisclosable: z.array(z.string()).optional(),
  expiresInDays: z.int().optional(),
  claimsFrom: zClaimsFrom.optional(),
  keyAttestation: zKeyAttestation.optional(),
  mdoc: zMdoc.optional(),
  active: z.boolean(),
  withdrawn: z.literal(true).optional().meta({ description: 'Nothing new is offered or issued of this version.' }),
  issuers: z.array(z.string()).meta({ description: 'Issuers that it is assigned to; every issuer where empty.' }),
  createdAt: z.iso.datetime(),
})

export const createSchema = {
  meta: route('POST', '/schemas', {
    tag: 'Schemas',
    summary: 'Create a schema, or a new version of one',
    description: 'A name belongs to whoever made its first version; they and admins make further ones.',
    access: 'issuer',
    status: 201,
    errors: [400, errors.schemaDenied(), errors.schemaExists('ProofOfPurchase', 1)],
  }),
  input: z.strictObject({
    name: zTypeName,
    version: zVersion,
    schema: z
      .record(z.string(), z.unknown())
      .meta({ description: 'JSON Schema (draft-07 or 2020-12) of the credential subject.' }),
    title: zShownName.optional(),
    description: z.string().max(2000).optional(),
    display: z.array(zDisplay).max(50).optional(),
    claims: zClaims.optional(),
    selectivelyDisclosable: z.array(z.string().min(1).max(300)).max(500).optional().meta({
      description:
        'Claims of an SD-JWT VC that can be withheld, nested ones with dots; all top-level claims unless given.',
    }),
    expiresInDays: z.int().min(1).max(36_500).optional(),
    claimsFrom: zClaimsFrom.optional(),
    keyAttestation: zKeyAttestation.optional(),
    mdoc: zMdoc.optional(),
  }),
  output: zSchema,
}

export const readSchema = {
  meta: route('GET', '/schemas/{schemaId}', {
    tag: 'Schemas',
    summary: 'Read a schema version',
    description: 'A superseded or withdrawn version is a 410, unless `includeInactive=true` asks for it.',
    access: 'issuer',
    errors: [400, errors.schemaNotFound(), errors.schemaSuperseded()],
  }),
  input: z.strictObject({
    schemaId: z.string(),
    includeInactive: z.boolean().optional().meta({ description: '`true` to read a superseded or withdrawn version.' }),
  }),
  output: zSchema,
}

export const listVersions = {
  meta: route('GET', '/schemas/{schemaId}/versions', {
    tag: 'Schemas',
    summary: 'List every version of a schema name, the newest first',
    description:
      'The list has superseded and withdrawn versions too, with and without `includeInactive=true`. `includeInactive=false` leaves them ' +
      'out: the list has the active version, or is empty where every version is withdrawn. An unknown name is a 404.',
    access: 'issuer',
    errors: [400, errors.schemaNotFound()],
  }),
  input: z.strictObject({
    schemaId: z.string().meta({ description: "The schema's name." }),
    includeInactive: z
      .boolean()
      .optional()
      .meta({ description: '`false` leaves superseded and withdrawn versions out; `true` unless given.' }),
  }),
  output: z.array(zSchema),
}

export const assignSchema = {
  meta: route('POST', '/schemas/{schemaId}/issuers/{issuerId}', {
    tag: 'Schemas',
    summary: 'Assign a schema to an issuer',
    description:
      'Its owner or an admin assigns it, to an issuer of their own or, as admin, to the default one. A schema that is ' +
      'assigned to nobody belongs to every issuer.',
    access: 'issuer',
    errors: [400, errors.schemaDenied(), errors.schemaNotFound()],
  }),
  input: z.strictObject({ schemaId: z.string(), issuerId: z.string() }),
  output: zSchema,
}

export const unassignSchema = {
  meta: route('DELETE', '/schemas/{schemaId}/issuers/{issuerId}', {
    tag: 'Schemas',
    summary: 'Undo the assignment of a schema to an issuer',
    description:
      'For its owner or an admin. A schema that is assigned to nobody any more belongs to every issuer again.',
    access: 'issuer',
    status: 204,
    errors: [400, errors.schemaDenied(), errors.schemaNotFound()],
  }),
  input: z.strictObject({ schemaId: z.string(), issuerId: z.string() }),
  output: z.void(),
}

export const withdrawSchema = {
  meta: route('DELETE', '/schemas/{schemaId}', {
    tag: 'Schemas',
    summary: 'Withdraw a schema version',
    description:
      'Nothing new is offered or issued of it, and the highest other version becomes the active one. What was issued ' +
      'stays good, offerings under way go on, and its public address and type metadata stay.',
    access: 'issuer',
    status: 204,
    errors: [400, errors.schemaDenied(), errors.schemaNotFound()],
  }),
  input: z.strictObject({ schemaId: z.string() }),
  output: z.void(),
}

export const publicSchema = {
  meta: route('GET', '/api/v1/schemas/{id}', {
    tag: 'Schemas',
    summary: 'The JSON Schema that credentialSchema.id names',
    description: 'Superseded and withdrawn versions stay, since credentials point to them.',
    access: 'public',
    forWallets: true,
    errors: [400, errors.schemaNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.record(z.string(), z.unknown()),
}

/** Type metadata (SD-JWT VC §6.2). */
export const typeMetadata = {
  meta: route('GET', '/vct/{name}', {
    tag: 'Schemas',
    summary: 'SD-JWT VC type metadata',
    description:
      'SD-JWT VC, §6. One `vct` stands for every version of a type: where they differ, `sd` says `allowed` and ' +
      '`mandatory` is left out.',
    access: 'public',
    forWallets: true,
    errors: [400, errors.schemaNotFound()],
  }),
  input: z.strictObject({ name: z.string() }),
  output: z.object({
    vct: z.string(),
    name: z.string(),
    description: z.string().optional(),
    display: z.array(z.record(z.string(), z.unknown())),
    claims: z.array(
      z.object({
        path: z.array(z.string().nullable()),
        sd: z.enum(['always', 'never', 'allowed']),
        mandatory: z.literal(true).optional(),
        display: z.array(z.record(z.string(), z.unknown())).optional(),
      }),
    ),
  }),
}
