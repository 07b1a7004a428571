import { z } from 'zod'
import { type Download, route } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { zMoment } from '../api/moment.js'
import { listShape, zListed } from '../api/paging.js'
import { EXPORT_FORMATS, EXPORT_KINDS, MAX_PERIOD_DAYS, PERIOD_KINDS } from './export.js'

const DAY_MS = 24 * 60 * 60 * 1000

const zSubject = z
  .strictObject({
    did: z
      .string()
      .max(8_192)
      .refine((value) => /^did:[a-z0-9]+:\S+$/.test(value), { error: 'must be a DID' })
      .optional()
      .meta({ description: 'A DID of the person.', example: 'did:example:holder' }),
    sub: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .meta({ description: 'The `sub` of the person at the identity provider.' }),
  })
  .refine(({ did, sub }) => (did === undefined) !== (sub === undefined), {
    error: 'must have exactly one of did and sub',
  })

interface Fault {
  readonly path: string
  readonly message: string
}

type Asked = Readonly<Partial<Record<'subject' | 'kind' | 'from' | 'to' | 'schema', unknown>>>

/** The faults of an order for the export of a person's data. */
const faultsOfPerson = (asked: Asked): Fault[] =>
  (['kind', 'from', 'to', 'schema'] as const)
    .filter((name) => asked[name] !== undefined)
    .map((path) => ({ path, message: 'must not be given together with subject' }))

/** The faults of an order for the export of a period. */
function faultsOfPeriod({ kind, from, to, schema }: Asked): Fault[] {
  if (kind === undefined) return [{ path: 'kind', message: 'must be defined, unless subject is' }]
  const missing = Object.entries({ from, to }).filter(([, value]) => value === undefined)
  const faults = missing.map(([path]) => ({ path, message: 'must be defined' }))
  if (schema !== undefined && kind !== 'credentials')
    faults.push({ path: 'schema', message: 'must be given only with the kind credentials' })
  if (missing.length > 0) return faults
  const length = Date.parse(String(to)) - Date.parse(String(from))
  if (length <= 0) faults.push({ path: 'from', message: 'must be before to' })
  if (length > MAX_PERIOD_DAYS * DAY_MS)
    faults.push({ path: 'to', message: `must be at most ${MAX_PERIOD_DAYS} days after from` })
  return faults
}

const zExport = z.object({
  id: z.uuid(),
  kind: z.enum(EXPORT_KINDS).meta({ description: '`person` for the data of a person.' }),
  subject: z.object({ did: z.string().optional(), sub: z.string().optional() }).optional(),
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
  schema: z.string().optional(),
  format: z.enum(EXPORT_FORMATS),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().meta({ description: 'From then on the export is unknown.' }),
  count: z.int().optional().meta({
    description: 'The number of records in the last complete download. Absent before the first complete download.',
  }),
  finishedAt: z.iso.datetime().optional().meta({ description: 'The end of the last complete download.' }),
  contentUrl: z.string().meta({ description: 'The address of the file.' }),
})

export const createExport = {
  meta: route('POST', '/api/v1/exports', {
    tag: 'Exports',
    summary: 'Order an export',
    description:
      'With `subject`: all data that the service keeps about a person (Article 15 GDPR). With `kind`: the credentials, audit events ' +
      'or verification sessions of a period. Operators of a half receive the records of all callers in it: credentials, or sessions. ' +
      'Audit events and the whole data of a person need the role admin or the client secret. If the role of a half is not set, ' +
      'other users receive their own records. The file is read at `contentUrl`, for one day. Only the caller who ordered it can read it.',
    access: 'clientOrUser',
    idempotent: true,
    status: 202,
    errors: [400],
    requestExample: { kind: 'credentials', from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z', format: 'csv' },
  }),
  input: z
    .strictObject({
      subject: zSubject.optional().meta({ description: 'The person whose data is exported.' }),
      kind: z.enum(PERIOD_KINDS).optional().meta({ description: 'The records that are exported.' }),
      from: zMoment.optional().meta({ description: 'Only records of this moment and later.' }),
      to: zMoment
        .optional()
        .meta({ description: `Only records before this moment, at most ${MAX_PERIOD_DAYS} days later.` }),
      schema: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'For credentials: the name of a type, for all its versions, or the id of one version.' }),
      format: z.enum(EXPORT_FORMATS).default('ndjson').meta({ description: 'The format of the file.' }),
    })
    .check(({ value, issues }) => {
      if (issues.length > 0) return
      for (const { path, message } of value.subject === undefined ? faultsOfPeriod(value) : faultsOfPerson(value))
        issues.push({ code: 'custom', message, input: value, path: [path] })
    }),
  output: zExport,
}

export const listExports = {
  meta: route('GET', '/api/v1/exports', {
    tag: 'Exports',
    summary: 'List exports',
    description: 'The exports that the caller ordered within the last day, the newest first.',
    access: 'clientOrUser',
    errors: [400],
  }),
  input: z.strictObject(listShape).prefault({}),
  output: zListed(zExport),
}

export const readExport = {
  meta: route('GET', '/api/v1/exports/{id}', {
    tag: 'Exports',
    summary: 'Read an export',
    description: 'The order of an export, with the number of records in its last complete download.',
    access: 'clientOrUser',
    errors: [errors.exportNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zExport,
}

const NDJSON = 'application/x-ndjson'
const CSV = 'text/csv'

export const readExportContent = {
  meta: route('GET', '/api/v1/exports/{id}/content', {
    tag: 'Exports',
    summary: 'Download the file of an export',
    description:
      'The records are read while the client receives them. They are never stored. NDJSON begins with a line about the export, and ' +
      'ends with the line `{"record":"end","count":…}`. In both formats the connection breaks if the file is not complete. CSV follows ' +
      'RFC 4180, in UTF-8 with a byte order mark: objects and lists are JSON texts, and a cell that a spreadsheet would take for a ' +
      'formula begins with an apostrophe. The rights of the caller are checked again. Each download is an audit event.',
    access: 'clientOrUser',
    kind: 'download',
    produces: NDJSON,
    alsoProduces: [CSV],
    errors: [errors.exportNotFound(), errors.tooManyDownloads(), errors.noDownloadLeft()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z
    .custom<Download>((value) => typeof value === 'object' && value !== null)
    .meta({ override: { type: 'string' } }),
}
