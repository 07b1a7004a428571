import type { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { certificatesInPem } from '../protocol/issuer-keys/pem.js'
import { jsonFile } from './json-file.js'

/** The kinds of lists that this service publishes. */
const PUBLISHED_KINDS = ['lote', 'vical'] as const

const MAX_LISTS = 20
const MAX_ENTITIES = 200
const MAX_ISSUERS = 50
const MAX_CERTIFICATES = 20
const MAX_TEXT = 500
const MAX_PEM = 80_000
const MAX_LANGUAGES = 40
/** TS 119 602, tables D.1 to I.1: at most six months between two issues. */
const MAX_DAYS = 180
const DEFAULT_DAYS = 30

/** TS 119 602 annex B.2: no control characters, private characters, tags of languages or mark-up. */
const FORBIDDEN = /[\p{Cc}\p{Co}\u{E0000}-\u{E007F}\uFEFF]|<[^>]+>/u

const zText = z
  .string()
  .max(MAX_TEXT)
  .refine((text) => text.trim() !== '', { error: 'must not be empty' })
  .refine((text) => !FORBIDDEN.test(text), { error: 'must not have control characters or mark-up' })
const country = z.string().regex(/^[A-Z]{2}$/, { error: 'must be a country code of two capital letters' })

const zNames = z
  .record(z.string().regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, { error: 'must be a language tag' }), zText, {
    error: 'must be an object with texts by language',
  })
  .refine((names) => Object.keys(names).length > 0 && Object.keys(names).length <= MAX_LANGUAGES, {
    error: `must have 1 to ${MAX_LANGUAGES} languages`,
  })

const isUri = (value: string): boolean => URL.canParse(value)
const uri = zText.refine(isUri, { error: 'must be an address' })

const zAddress = z.strictObject({
  street: zText,
  locality: zText,
  postalCode: zText,
  country,
  electronic: z.array(uri).min(1).max(10),
})

/** A record of an issuer: its id, or `default`. */
const issuer = z.string().min(1).max(100)

const zEntity = z.strictObject({
  name: zNames,
  issuers: z.array(issuer).max(MAX_ISSUERS).default([]),
  certificates: z
    .string()
    .max(MAX_PEM)
    .transform((pem, context): readonly X509Certificate[] => {
      try {
        return certificatesInPem(pem, MAX_CERTIFICATES)
      } catch {
        context.addIssue({ code: 'custom', message: `must be 1 to ${MAX_CERTIFICATES} certificates in PEM form` })
        return z.NEVER
      }
    })
    .optional(),
  docTypes: z.array(zText).min(1).max(MAX_ISSUERS).optional(),
  address: zAddress.optional(),
  informationUri: uri.optional(),
})

const zPublished = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'must be small letters, digits and hyphens' }),
  kind: z.enum(PUBLISHED_KINDS, { error: `must be ${PUBLISHED_KINDS.join(' or ')}` }),
  profile: z.literal('pid', { error: 'must be pid' }).optional(),
  signer: issuer,
  operator: zNames,
  operatorAddress: zAddress.optional(),
  schemeName: zNames.optional(),
  informationUri: uri.optional(),
  policyUri: uri.optional(),
  territory: country.optional(),
  validityDays: z
    .int({ error: `must be an integer from 2 to ${MAX_DAYS}` })
    .min(2, { error: `must be an integer from 2 to ${MAX_DAYS}` })
    .max(MAX_DAYS, { error: `must be an integer from 2 to ${MAX_DAYS}` })
    .default(DEFAULT_DAYS),
  entities: z.array(zEntity, { error: 'must be an array' }).max(MAX_ENTITIES),
})

/** A trusted list that the service publishes about its own issuers. */
export type PublishedDefinition = z.infer<typeof zPublished>

/**
 * Members about the scheme that the profiles of TS 119 602 demand (annexes D to H: the scheme is described in the list). Without a
 * profile, the standard leaves them optional.
 */
const SCHEME_MEMBERS = ['operatorAddress', 'schemeName', 'informationUri', 'policyUri'] as const

function contradictionIn(list: PublishedDefinition): string | undefined {
  const { kind, profile, territory, entities } = list
  if (profile !== undefined && kind !== 'lote') return 'profile must not be set where kind is vical'
  if (profile === 'pid' && territory !== 'EU') return 'territory must be EU where profile is pid'
  for (const member of SCHEME_MEMBERS) {
    if (profile !== undefined && list[member] === undefined) return `${member} must be set where profile is ${profile}`
    if (kind === 'vical' && list[member] !== undefined) return `${member} must not be set where kind is vical`
  }
  for (const [at, { issuers, certificates, docTypes, address, informationUri }] of entities.entries()) {
    const place = `entities.${at}`
    if (issuers.length === 0 && certificates === undefined) return `${place} must have issuers or certificates`
    if (kind === 'vical' && docTypes === undefined) return `${place}.docTypes must be set where kind is vical`
    if (kind === 'lote' && docTypes !== undefined) return `${place}.docTypes must not be set where kind is lote`
    if (kind === 'lote' && address === undefined) return `${place}.address must be set where kind is lote`
    if (kind === 'lote' && informationUri === undefined) return `${place}.informationUri must be set where kind is lote`
  }
  return undefined
}

function problemIn(lists: readonly PublishedDefinition[]): string | undefined {
  for (const [at, list] of lists.entries()) {
    const contradiction = contradictionIn(list)
    if (contradiction !== undefined) return `${at}.${contradiction}`
    if (lists.slice(0, at).some(({ name }) => name === list.name)) return `${at}.name must not stand there twice`
  }
  return undefined
}

/** Reads the JSON file of the lists that the service publishes. There are none if no file is configured. */
export const publishedLists = jsonFile(
  'lists to publish',
  z.array(zPublished, { error: 'it must be an array' }).max(MAX_LISTS),
  problemIn,
)
