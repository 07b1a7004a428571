import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zMoment } from '../../api/moment.js'
import {
  zBackgroundImage,
  zLogo,
  zShownBackgroundImage,
  zShownLogo,
  zShownSvgTemplates,
  zSvgTemplates,
} from '../../images/image-reference.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'
import { SERVED_TYPES } from '../../protocol/openid4vci/data-image.js'
import { isColour, isLanguageTag } from '../../protocol/openid4vci/display.js'
import { zShownName } from '../../protocol/shown-name.js'
import { zClaimsSource, zShownClaimsSource } from '../claims-source/shape.js'
import { ON_REFRESH } from '../issuance/active-sets.js'
import { MAX_DEPTH, pathKey } from './claims.js'

/**
 * The name of a credential type, in `credential_type` and `type`. `__proto__` is not allowed. Metadata use type names as member
 * names, and in many wallets this member would become a prototype. Any other name, for example `constructor`, is an ordinary
 * member.
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
  .meta({ description: 'The active version is the highest version of a name that is not withdrawn.' })

const zColour = z
  .string()
  .max(64)
  .refine(isColour, { error: 'must be a numerical CSS colour such as #1d4fc4 or rgb(29, 79, 196)' })
  .meta({ description: 'A numerical colour of CSS Color Module Level 3.', example: '#1d4fc4' })

/** BCP 47 */
const zLocale = z.string().max(35).refine(isLanguageTag, { error: 'must be a language tag such as de or pt-BR' })

/** How wallets may display a credential (OpenID4VCI 1.0 §12.2.4). */
const zDisplay = z.strictObject({
  name: zShownName,
  locale: zLocale.optional(),
  description: z.string().max(1000).optional(),
  background_color: zColour.optional(),
  background_image: zBackgroundImage.optional(),
  text_color: zColour.optional(),
  logo: zLogo.optional(),
  svg_templates: zSvgTemplates.optional(),
})

/** A stored display entry. A version that is older than a rule is shown unchanged. */
export const zStoredDisplay = z.object({
  name: z.string(),
  locale: z.string().optional(),
  description: z.string().optional(),
  background_color: z.string().optional(),
  background_image: zShownBackgroundImage.optional(),
  text_color: z.string().optional(),
  logo: zShownLogo.optional(),
  svg_templates: zShownSvgTemplates.optional(),
})

const unlike = (keys: readonly string[]): boolean => new Set(keys).size === keys.length

/** A claims path pointer (Appendix C.1) into the subject. */
const zClaimPath = z
  .array(z.string().min(1).max(200).nullable())
  .min(1)
  .max(MAX_DEPTH)
  .meta({ description: 'Member names; null stands for all elements of an array.' })

/** Names of a claim in addition to its `title` (OpenID4VCI 1.0 Appendix B.2): one for each language. */
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
      'Names of claims in further languages. A `title` in the schema is in the language of the first `display` entry, or in English.',
    example: [{ path: ['givenName'], display: [{ name: 'Vorname', locale: 'de' }] }],
  })

/** Claim names of a new version. Stored versions may be older than this rule. */
const zNewClaims = zClaims.refine(
  (claims) => claims.every(({ display }) => display.every(({ name }) => name.trim() !== '')),
  { error: 'must not have an empty name' },
)

/** A JSON pointer (RFC 6901) to a member: not the whole document. */
const zPointer = z
  .string()
  .max(300)
  .regex(/^(?:\/(?:[^~/]|~[01])*)+$/, { error: 'must be a JSON pointer such as /given_name' })

const zClaimsFrom = z.record(z.string().min(1).max(200), zPointer).meta({
  description:
    'For each claim, a JSON Pointer into the claims of ID token and userinfo. A user who signs in can take a credential with these claims without an offer.',
  example: { givenName: '/given_name' },
})

const zAccepted = z.array(z.string().min(1).max(200)).min(1).max(20)

/** OpenID4VCI 1.0 §12.2.4, Appendix D.2. */
const zKeyAttestation = z
  .strictObject({ keyStorage: zAccepted.optional(), userAuthentication: zAccepted.optional() })
  .meta({
    description:
      'A trusted provider must attest the keys of wallets, with one of the accepted values ' +
      '(such as `iso_18045_high`) of each member. An empty object accepts every attestation.',
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
    'The content of a mobile document (`mso_mdoc`) of the type: for each namespace and element, a JSON Pointer into the subject. ' +
    'Its configuration is `<name>-mdoc`. It is issued if its issuer has a certificate.',
  example: {
    doctype: 'org.iso.18013.5.1.mDL',
    namespaces: { 'org.iso.18013.5.1': { family_name: '/family_name', birth_date: '/birth_date' } },
  },
})

const zDays = z.strictObject({ days: z.int().min(1).max(36_500) })

const zRetention = z
  .strictObject({ claims: z.union([z.enum(['never', 'untilIssued']), zDays]), record: zDays.optional() })
  .meta({
    description:
      'How long the service stores the claims of credentials. `days` after issuance they are erased; `untilIssued`: after issuance, ' +
      'when the wallet can no longer take the credential with its access token; `never`: no time ends their storage. An offer that ' +
      'nobody takes counts from its expiry. `record.days` after its last instance the record is removed. It must not be less than ' +
      '`expiresInDays`. Default: RETENTION_CLAIMS_DAYS.',
    example: { claims: { days: 30 } },
  })

const zActiveSets = z.strictObject({ perSubject: z.literal(1) }).meta({
  description:
    'How many credentials of the type a subject may have at the same time. A new issuance revokes the earlier credential of ' +
    'the subject with all its instances, with the reason `superseded`. The subject is `forSubject` of the offer, else its ' +
    '`reference`, else the DID of the recipient. Issuances by another issuer do not count.',
})

const zOnRefresh = z.enum(ON_REFRESH).meta({
  description:
    'The choice for earlier instances when a wallet takes new instances with a refresh token. `revoke-previous`: the earlier instances of the same ' +
    'authorization and configuration are revoked, and access tokens from before the refresh give nothing more. Default: `keep`.',
})

/** The time from which a credential is valid. */
export const zValidFrom = zMoment.meta({
  description:
    'Credentials are not valid before this time (`nbf`, `issuanceDate`, `validFrom` of an MSO). It must lie before their expiry. ' +
    'A time in the past has no effect.',
})

export const zExpiresInDays = z.int().min(1).max(36_500).meta({ description: 'Days from issuance to expiry.' })

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
  unpublished: z.array(z.string()).optional().meta({
    description:
      'The parts of `display` that metadata leave out: data URIs that hold no image that wallets show, and a second entry in one language.',
  }),
  warnings: z.array(z.string()).optional().meta({
    description:
      'Faults of `display` that make credentials hard to read: text with too little contrast to its background.',
  }),
  claims: zClaims.optional(),
  selectivelyDisclosable: z.array(z.string()).optional(),
  expiresInDays: z.int().optional(),
  claimsFrom: zClaimsFrom.optional(),
  keyAttestation: zKeyAttestation.optional(),
  mdoc: zMdoc.optional(),
  suspendable: z.literal(true).optional().meta({ description: 'Present if its credentials can be suspended.' }),
  activeSets: zActiveSets.optional(),
  onRefresh: zOnRefresh.optional(),
  validFrom: z.iso.datetime().optional(),
  watchAttestations: z.literal(true).optional().meta({
    description: 'Present if its credentials are revoked together with the attestations of the wallet and of its keys.',
  }),
  retention: zRetention.optional(),
  claimsSource: zShownClaimsSource.optional(),
  active: z.boolean(),
  withdrawn: z
    .literal(true)
    .optional()
    .meta({ description: 'Present if the version is withdrawn: it is no longer offered or issued.' }),
  issuers: z
    .array(z.string())
    .meta({ description: 'The issuers that it is assigned to. If empty, every issuer can use it.' }),
  createdAt: z.iso.datetime(),
})

export const createSchema = {
  meta: route('POST', '/schemas', {
    tag: 'Schemas',
    summary: 'Create a schema or a new version of a schema',
    description:
      'A name belongs to the caller who created its first version. Only this caller and admins can create further versions.',
    access: 'issuer',
    idempotent: true,
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
    claims: zNewClaims.optional(),
    selectivelyDisclosable: z.array(z.string().min(1).max(300)).max(500).optional().meta({
      description:
        'Claims of an SD-JWT VC that can be withheld. Nested claims are written with dots. Default: all top-level claims.',
    }),
    expiresInDays: zExpiresInDays.optional(),
    validFrom: zValidFrom.optional(),
    claimsFrom: zClaimsFrom.optional(),
    keyAttestation: zKeyAttestation.optional(),
    mdoc: zMdoc.optional(),
    suspendable: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether its credentials can be suspended and reinstated. A JWT VC then has two entries in `credentialStatus`, as an array, which ' +
          'some wallets refuse. Default: `false`.',
      }),
    activeSets: zActiveSets.optional(),
    onRefresh: zOnRefresh.optional(),
    watchAttestations: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether the wallet attestation and the key attestations of an issuance are looked at again afterwards, once in 24 hours. If one of ' +
          'them is revoked, the credential is revoked with the reason `keyCompromise`. Default: `false`.',
      }),
    retention: zRetention.optional(),
    claimsSource: zClaimsSource.optional(),
  }),
  output: zSchema,
}

export const readSchema = {
  meta: route('GET', '/schemas/{schemaId}', {
    tag: 'Schemas',
    summary: 'Read a schema version',
    description: 'For a superseded or withdrawn version the answer is a 410, unless `includeInactive=true`.',
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
      'The list includes superseded and withdrawn versions, with and without `includeInactive=true`. `includeInactive=false` leaves them ' +
      'out. The list then contains only the active version, or is empty if every version is withdrawn. For an unknown name the answer is a 404.',
    access: 'issuer',
    errors: [400, errors.schemaNotFound()],
  }),
  input: z.strictObject({
    schemaId: z.string().meta({ description: "The schema's name." }),
    includeInactive: z
      .boolean()
      .optional()
      .meta({ description: '`false` leaves superseded and withdrawn versions out. Default: `true`.' }),
  }),
  output: z.array(zSchema),
}

export const assignSchema = {
  meta: route('POST', '/schemas/{schemaId}/issuers/{issuerId}', {
    tag: 'Schemas',
    summary: 'Assign a schema to an issuer',
    description:
      'The owner of the schema or an admin can assign it to their own issuer. An admin can also assign it to the default issuer. A schema that is ' +
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
      'For the owner of the schema and for admins. A schema without any assignment belongs to every issuer again.',
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
      'The version is no longer offered or issued, and the highest other version becomes active. Issued credentials ' +
      'stay valid, existing offerings continue, and its public URL and type metadata stay.',
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
    description: 'Superseded and withdrawn versions stay available, because credentials refer to them.',
    access: 'public',
    forWallets: true,
    errors: [400, errors.schemaNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.record(z.string(), z.unknown()),
}

const [SVG, ...FURTHER_IMAGES] = SERVED_TYPES

/** An image that wallets fetch, because it is large, or because they do not read its type in a data URI. */
export const schemaImage = {
  meta: route('GET', '/api/v1/schemas/{id}/images/{image}', {
    tag: 'Schemas',
    summary: 'An image of a display entry',
    description:
      'Metadata name this address for a large image in a data URI of `display`, and for an SVG, which wallet libraries refuse there. ' +
      '`image` is the position of the entry and the member, such as `0-logo`.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    produces: SVG,
    alsoProduces: FURTHER_IMAGES,
    envelope: true,
    errors: [400, errors.imageNotFound()],
  }),
  input: z.object({
    id: z.string(),
    image: z.string().meta({ example: '0-logo' }),
  }),
  output: zProtocolReply,
}

/** Type metadata (SD-JWT VC §6.2). */
export const typeMetadata = {
  meta: route('GET', '/vct/{name}', {
    tag: 'Schemas',
    summary: 'SD-JWT VC type metadata',
    description:
      'SD-JWT VC, §6. One `vct` covers every version of a type. If the versions differ, `sd` is `allowed` and ' +
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
        svg_id: z.string().optional(),
        display: z.array(z.record(z.string(), z.unknown())).optional(),
      }),
    ),
  }),
}
