import { z } from 'zod'
import { zCertificate } from '../agent/shown-certificate.js'
import { route } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { listShape, MAX_LISTS } from '../config/trust-lists.js'
import { TRUST_LIST_CHECKS } from './list-check.js'
import { LIST_STATES } from './live/list-state.js'

/** The most entities of one answer. */
export const MAX_ENTITIES_SHOWN = 100
/** The most services, certificates and names of an entity that are shown. */
export const MAX_SHOWN = 50

const zNames = z.record(z.string(), z.string()).meta({ description: 'Texts by language tag.' })

const zList = z.object({
  id: z.string(),
  contentId: z.string().meta({ description: 'The id of the content. Audit events of changed content have it.' }),
  source: z
    .enum(['configuration', 'api'])
    .meta({ description: 'Whether TRUST_LISTS has the list, or an admin added it.' }),
  ...listShape,
  note: z.string().optional(),
  createdBy: z.string().optional().meta({ description: 'The `sub` of the admin. Absent for the client secret.' }),
  createdAt: z.iso.datetime().optional(),
  state: z.enum(LIST_STATES).meta({
    description:
      '`usable`: its entities are trusted. `failing`: they are trusted, but the last attempt to read the list failed. `unusable`: no entity of ' +
      'it is trusted.',
  }),
  check: z.enum(TRUST_LIST_CHECKS).optional().meta({ description: 'The failed check, by name.' }),
  reason: z.string().optional().meta({ description: 'Why the list cannot be used, or not be read again.' }),
  usableUntil: z.iso.datetime().optional(),
  sequenceNumber: z.number().optional(),
  issuedAt: z.iso.datetime().optional(),
  nextUpdate: z.iso.datetime().optional().meta({ description: 'The list’s own end.' }),
  readAt: z.iso.datetime().optional().meta({ description: 'When this content was received.' }),
  checkedAt: z.iso.datetime().optional().meta({ description: 'When the address last confirmed the content.' }),
  failingSince: z.iso.datetime().optional(),
  alert: z.string().optional().meta({ description: 'Certificates of this installation that the list no longer has.' }),
  operator: zNames.optional(),
  listTerritory: z.string().optional(),
  signedBy: z
    .string()
    .optional()
    .meta({ description: 'SHA-256 of the certificate of the signer, in the notation of openssl.' }),
  entities: z.int().meta({ description: 'The number of entities.' }),
})

const listErrors = [400, errors.trustListNotFound()]
const byId = z.strictObject({ id: z.string() })

export const listTrustLists = {
  meta: route('GET', '/api/v1/trust-lists', {
    tag: 'Trust',
    summary: 'List the trusted lists, with their states',
    description: 'The lists of TRUST_LISTS first, then the added lists. Nothing is fetched.',
    access: 'operator',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ items: z.array(zList).max(2 * MAX_LISTS) }),
}

export const addTrustList = {
  meta: route('POST', '/api/v1/trust-lists', {
    tag: 'Trust',
    summary: 'Add a trusted list',
    description:
      'The list is read at once, for at most ten seconds. It is added even if it cannot be read: `state` and `reason` say why. Other processes use ' +
      'the list within a minute.',
    access: 'operator',
    status: 201,
    requestExample: {
      url: 'https://lists.example/pid.jwt',
      kind: 'lote',
      profile: 'pid',
      purpose: 'credentials',
      signer: { sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' },
    },
    errors: [400, errors.trustListAdded(), errors.tooManyTrustLists(MAX_LISTS)],
  }),
  input: z.strictObject({
    ...listShape,
    note: z.string().min(1).max(200).optional().meta({ description: 'A note for people.' }),
  }),
  output: zList,
}

export const readTrustList = {
  meta: route('GET', '/api/v1/trust-lists/{id}', {
    tag: 'Trust',
    summary: 'Read a trusted list',
    description: 'The list with its state. Nothing is fetched.',
    access: 'operator',
    errors: listErrors,
  }),
  input: byId,
  output: zList,
}

export const refreshTrustList = {
  meta: route('POST', '/api/v1/trust-lists/{id}/refresh', {
    tag: 'Trust',
    summary: 'Read a trusted list from its address now',
    description: 'It takes at most ten seconds. `outcome` is `changed`, `unchanged`, or the name of the failed check.',
    access: 'operator',
    status: 200,
    errors: [...listErrors, errors.trustListBusy()],
  }),
  input: byId,
  output: z.object({ outcome: z.string(), list: zList }),
}

export const removeTrustList = {
  meta: route('DELETE', '/api/v1/trust-lists/{id}', {
    tag: 'Trust',
    summary: 'Remove a trusted list',
    description:
      'Its entities are not trusted any more, in every process within a minute. Lists of TRUST_LISTS cannot be removed.',
    access: 'operator',
    status: 204,
    errors: [...listErrors, errors.trustListConfigured()],
  }),
  input: byId,
  output: z.void(),
}

const zService = z.object({
  type: z.string(),
  names: zNames,
  trustedFor: z.array(z.enum(['issuance', 'status'])).meta({
    description: 'What its certificates may sign. Empty: the service is of an unknown type, and is not trusted.',
  }),
  status: z.enum(['granted', 'withdrawn', 'unknown']),
  startsAt: z.iso.datetime().optional(),
  endsAt: z.iso.datetime().optional(),
  isTrusted: z.boolean().meta({ description: 'Whether the service is trusted now.' }),
  types: z.array(z.string()).optional(),
  certificates: z.array(zCertificate).meta({ description: `The first ${MAX_SHOWN} certificates.` }),
  certificateCount: z.int(),
  keyCount: z.int().meta({ description: 'Keys without a certificate.' }),
})

export const listTrustListEntities = {
  meta: route('GET', '/api/v1/trust-lists/{id}/entities', {
    tag: 'Trust',
    summary: 'List the entities of a trusted list',
    description: 'In the order of the list. A list that was never accepted has none.',
    access: 'operator',
    errors: listErrors,
  }),
  input: z.strictObject({
    id: z.string(),
    limit: z.int().min(1).max(MAX_ENTITIES_SHOWN).optional().meta({ description: 'Default: 20.' }),
    after: z.int().min(0).max(1_000_000).optional().meta({ description: 'The `next` of the previous page.' }),
    search: z.string().min(1).max(200).optional().meta({ description: 'Only entities with this text in a name.' }),
  }),
  output: z.object({
    items: z.array(
      z.object({
        names: zNames,
        territory: z.string().optional(),
        services: z.array(zService).max(MAX_SHOWN),
        serviceCount: z.int(),
      }),
    ),
    next: z.int().optional().meta({ description: 'The `after` of the next page; absent on the last page.' }),
  }),
}
