import { hash } from 'node:crypto'
import { z } from 'zod'
import { certificatesInPem } from '../protocol/issuer-keys/pem.js'
import { MAX_SIGNERS } from '../protocol/trust-lists/limits.js'
import { LIST_KINDS, LIST_PROFILES } from '../protocol/trust-lists/trust-list.js'
import { jsonFile } from './json-file.js'

/**
 * The purposes of lists: their certificates may sign credentials, status lists, requests of verifiers, registration
 * certificates, or wallet attestations.
 */
export const LIST_PURPOSES = ['credentials', 'status', 'verifiers', 'registrars', 'wallets'] as const

export type ListPurpose = (typeof LIST_PURPOSES)[number]

/** The limit of lists, of TRUST_LISTS and of the API together. Member states and their profiles have fewer lists. */
export const MAX_LISTS = 100
const MAX_TYPES = 100
const MAX_TEXT = 2_000
const MAX_PEM = 40_000
/** One year. */
const MAX_HOURS = 8_760

const isUri = (value: string): boolean => URL.canParse(value)

const isHttp = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, hash: fragment } = new URL(value)
  return ['https:', 'http:'].includes(protocol) && username === '' && password === '' && fragment === ''
}

/** Whether a text has certificates in PEM form, and at most {@link MAX_SIGNERS}. */
function hasCertificates(pem: string): boolean {
  try {
    return certificatesInPem(pem, MAX_SIGNERS).length > 0
  } catch {
    return false
  }
}

/** The signer of the list. The operator names the signer, because a list cannot vouch for itself. */
export const zListSigner = z.union(
  [
    z.strictObject({
      pem: z
        .string()
        .max(MAX_PEM)
        .refine(hasCertificates, { error: `must be 1 to ${MAX_SIGNERS} certificates in PEM form` }),
    }),
    z.strictObject({
      sha256: z
        .string()
        .max(MAX_TEXT)
        // OpenSSL and the answers of the API write colons between the octets.
        .overwrite((text) => text.replaceAll(':', ''))
        .regex(/^[0-9A-Fa-f]{64}$/, { error: 'must be 64 hexadecimal digits' }),
    }),
  ],
  { error: 'must be an object with pem or sha256' },
)

/** The members of one list, in TRUST_LISTS and in the API. */
export const listShape = {
  url: z
    .string()
    .max(MAX_TEXT)
    .refine(isHttp, { error: 'must be an https URL without user name and fragment' })
    .meta({ description: 'The address of the list.' }),
  kind: z.enum(LIST_KINDS, { error: `must be ${LIST_KINDS.join(', ')}` }).meta({
    description:
      '`lote`: a list of trusted entities of ETSI TS 119 602, as a compact JWS. `vical`: ISO/IEC 18013-5 Annex C. `tsl`: a trusted list ' +
      'of ETSI TS 119 612, in XML with a XAdES signature.',
  }),
  profile: z
    .enum(LIST_PROFILES, { error: `must be ${LIST_PROFILES.join(', ')}` })
    .optional()
    .meta({ description: 'The profile of TS 119 602 that the list must follow. Unset: only its general rules.' }),
  purpose: z.enum(LIST_PURPOSES, { error: `must be ${LIST_PURPOSES.join(', ')}` }).meta({
    description:
      'What the entities are trusted for: `credentials` with their status lists, `status` (status lists of any issuer), `verifiers` ' +
      '(requests to hosted wallets), `registrars` (registration certificates of verifiers and issuers), or `wallets` (attestations ' +
      'of wallets and keys).',
  }),
  types: z
    .array(z.string().min(1).max(MAX_TEXT), { error: 'must be an array of texts' })
    .min(1, { error: 'must not be empty' })
    .max(MAX_TYPES, { error: `must have at most ${MAX_TYPES} entries` })
    .optional()
    .meta({
      description: 'The credential types (`vct`, type or doctype) that the list counts for. Unset: every type.',
    }),
  serviceTypes: z
    .array(z.string().max(MAX_TEXT).refine(isUri, { error: 'must be a URI' }), { error: 'must be an array of texts' })
    .min(1, { error: 'must not be empty' })
    .max(MAX_TYPES, { error: `must have at most ${MAX_TYPES} entries` })
    .optional()
    .meta({
      description:
        'The types of services (URIs) that are trusted. Unset: the types that the standard defines for the purpose. Only for `tsl`, and ' +
        'for `lote` without a profile.',
    }),
  signer: zListSigner.meta({
    description: 'The certificate that signs the list, or of the authority that certifies its signers (`pem` only).',
  }),
  maxAgeHours: z
    .int({ error: `must be an integer from 1 to ${MAX_HOURS}` })
    .min(1, { error: `must be an integer from 1 to ${MAX_HOURS}` })
    .max(MAX_HOURS, { error: `must be an integer from 1 to ${MAX_HOURS}` })
    .optional()
    .meta({
      description:
        'The list is not trusted if its address has not confirmed it for this time, even before its own end.',
    }),
  territory: z
    .string()
    .regex(/^[A-Z]{2}$/, { error: 'must be a country code of two capital letters' })
    .optional()
    .meta({ description: 'The territory that the list must be of.' }),
} as const

const USES_TYPES: readonly ListPurpose[] = ['credentials', 'status']

/** @returns why the members of a list contradict each other; undefined if they do not */
export const contradictionOf = (list: {
  readonly kind: string
  readonly purpose: ListPurpose
  readonly types?: unknown
  readonly profile?: unknown
  readonly serviceTypes?: unknown
}): string | undefined => {
  if (list.types !== undefined && !USES_TYPES.includes(list.purpose))
    return `types must not be set where purpose is ${list.purpose}`
  if (list.profile !== undefined && list.kind !== 'lote') return `profile must not be set where kind is ${list.kind}`
  if (list.serviceTypes === undefined) return undefined
  if (list.kind === 'vical') return 'serviceTypes must not be set where kind is vical'
  return list.profile === undefined ? undefined : 'serviceTypes must not be set beside profile'
}

const zTrustList = z.strictObject(listShape)

/** A trusted list that the service reads: where it is, who signs it, and what its entities are trusted for. */
export type ListDefinition = z.infer<typeof zTrustList>

const zTrustLists = z.array(zTrustList, { error: 'it must be an array' }).max(MAX_LISTS)

/** Two lists that decide about the same thing from the same address. */
export const sameList = (a: ListDefinition, b: ListDefinition): boolean => a.url === b.url && a.purpose === b.purpose

/**
 * The name of a definition of TRUST_LISTS. It changes with each member, so that a changed definition is another list.
 */
export const definitionId = (list: ListDefinition): string =>
  hash('sha256', JSON.stringify(Object.entries(list).toSorted(([a], [b]) => (a < b ? -1 : 1))), 'hex').slice(0, 32)

function problemOf(lists: readonly ListDefinition[]): string | undefined {
  for (const [at, list] of lists.entries()) {
    const contradiction = contradictionOf(list)
    if (contradiction !== undefined) return `${at}.${contradiction}`
    if (lists.slice(0, at).some((one) => sameList(one, list)))
      return `${at}.url must not stand there twice with the purpose ${list.purpose}`
  }
  return undefined
}

/** Reads the JSON file of trusted lists. There are none if no file is configured. */
export const trustLists = jsonFile('trusted lists', zTrustLists, problemOf)
