import type { ExportFormat, ExportRecord, Order, Records } from '../export.js'
import { csvHead, csvLine } from './csv.js'

/** The columns of CSV for each kind. The records of a person differ: their own members are in `data`. */
const COLUMNS = {
  person: ['record', 'id', 'at', 'purpose', 'keptUntil', 'data'],
  credentials: [
    ...['id', 'type', 'version', 'schemaId', 'configurationIds', 'issuerId', 'holderDid', 'offeringId', 'createdBy'],
    ...['reference', 'label', 'status', 'createdAt', 'revokedAt', 'suspendedAt', 'expiresAt', 'supersededBy', 'reason'],
    ...['claimsErasedAt', 'vc'],
  ],
  audit: ['id', 'at', 'actor', 'action', 'subject', 'subjectId', 'detail'],
  sessions: [
    ...['id', 'verifierId', 'state', 'profile', 'errorMessage', 'createdBy', 'createdAt', 'expiresAt', 'endedAt'],
    ...['reference', 'label', 'claimsErasedAt', 'result', 'discarded', 'checks'],
  ],
} as const satisfies Readonly<Record<Order['kind'], readonly string[]>>

/** The media types of the formats. */
export const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
}

/** A record of a person as a row: the common members are columns, all others are in `data`. */
function rowOf({ record, id, at, purpose, keptUntil, ...data }: ExportRecord): ExportRecord {
  return { record, id, at, purpose, keptUntil, data }
}

async function* csv(kind: Order['kind'], header: ExportRecord, records: Records): AsyncGenerator<string, number> {
  const columns = COLUMNS[kind]
  const lineOf = (record: ExportRecord) => csvLine(columns, kind === 'person' ? rowOf(record) : record)
  yield csvHead(columns) + (kind === 'person' ? lineOf(header) : '')
  let count = 0
  for await (const some of records) {
    count += some.length
    if (some.length > 0) yield some.map(lineOf).join('')
  }
  return count
}

async function* ndjson(header: ExportRecord, records: Records): AsyncGenerator<string, number> {
  const lineOf = (record: ExportRecord) => `${JSON.stringify(record)}\n`
  yield lineOf(header)
  let count = 0
  for await (const some of records) {
    count += some.length
    if (some.length > 0) yield some.map(lineOf).join('')
  }
  yield lineOf({ record: 'end', count })
  return count
}

/**
 * The parts of a file. NDJSON begins with the header and ends with the number of records. CSV has the header of a person's data as its
 * first record, and no header otherwise.
 *
 * @returns a generator of texts that returns the number of records
 */
export const partsOf = (
  format: ExportFormat,
  kind: Order['kind'],
  header: ExportRecord,
  records: Records,
): AsyncGenerator<string, number> => (format === 'csv' ? csv(kind, header, records) : ndjson(header, records))
