import type { z } from 'zod'
import type { Download } from '../api/contract.js'
import { errors } from '../api/errors.js'
import type { AuditDetail } from '../audit/audit.js'
import type { Sender } from '../auth/rights.js'
import type { Config } from '../config/config.js'
import type { Vault } from '../keys/vault.js'
import { dueRows, type MaintenanceTask } from '../maintenance/task.js'
import { EXPORT_HOURS, type ExportRecord, type Order, type Records, type Subject } from './export.js'
import type { createExport } from './exports.contract.js'
import { MEDIA_TYPES, partsOf } from './files/files.js'
import type { PeriodRecords } from './period/period.js'
import type { PersonRecords } from './person/person.js'
import type { DownloadPlaces } from './places.js'
import { ownerFor, sectionsFor } from './rights.js'
import type { ExportStore, StoredExport } from './store.js'

type Asked = z.output<typeof createExport.input>
type Shown = z.input<typeof createExport.output>

/** Dependencies of {@link createExports}. */
export interface ExportsPorts {
  readonly store: ExportStore
  readonly period: PeriodRecords
  readonly person: PersonRecords
  /** True if there is a credential type of this name, or a version of a type with this id. */
  readonly knowsSchema: (schema: string) => Promise<boolean>
  /** DIDs of a user's hosted wallets. */
  readonly holderDidsOf: (sub: string) => Promise<readonly string[]>
  readonly vault: Pick<Vault, 'protect' | 'reveal'>
  readonly places: DownloadPlaces
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerRole' | 'verifierRole'>
  readonly clock: () => Date
}

export type Exports = ReturnType<typeof createExports>

/** The name under which a sender's exports are stored; null for the client secret. */
const nameOf = ({ caller }: Sender): string | null => caller?.sub ?? null

const placeOf = (id: string) => ({ column: 'exports.subject', id }) as const

function orderOf({ subject, kind, from, to, schema }: Asked): Order {
  if (subject !== undefined) return { kind: 'person', subject: subject as Subject }
  if (kind === undefined || from === undefined || to === undefined)
    throw new Error('The contract admits no such order.')
  return { kind, from: new Date(from), to: new Date(to), schema: schema ?? null }
}

/** Exports of credentials, audit events, sessions, and all data of a person. */
export function createExports(ports: ExportsPorts) {
  const { store, period, person, knowsSchema, holderDidsOf, vault, places, config, clock } = ports

  const tasks: readonly MaintenanceTask[] = [
    dueRows({ name: 'remove exports', everyMs: 60_000, batch: store.removeExpired }),
  ]

  async function storedOrder({ id, kind, subject, from, to, schema }: StoredExport): Promise<Order> {
    if (kind !== 'person' && from !== null && to !== null) return { kind, from, to, schema }
    if (kind !== 'person' || subject === null) throw new Error('A stored export has neither a person nor a period.')
    return { kind, subject: JSON.parse(await vault.reveal(placeOf(id), subject)) as Subject }
  }

  async function shown(row: StoredExport): Promise<Shown> {
    const order = await storedOrder(row)
    const { id, kind, format, createdAt, expiresAt, count, finishedAt, schema } = row
    return {
      id,
      kind,
      ...(order.kind === 'person'
        ? { subject: order.subject }
        : { from: order.from.toISOString(), to: order.to.toISOString() }),
      ...(schema === null ? {} : { schema }),
      format,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      ...(count === null ? {} : { count }),
      ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
      contentUrl: `${config.issuerBaseUrl}/api/v1/exports/${id}/content`,
    }
  }

  /** @throws 404 for an unknown or expired export, and for the export of another caller */
  async function found(id: string, sender: Sender): Promise<StoredExport> {
    const row = id.includes('\0') ? undefined : await store.find(id, nameOf(sender), clock())
    if (row === undefined) throw errors.exportNotFound()
    return row
  }

  /** The header and the records of an export for a sender. @throws 403 if the sender may read none of them */
  async function contentFor(row: StoredExport, sender: Sender): Promise<{ header: ExportRecord; records: Records }> {
    const order = await storedOrder(row)
    const header = { record: 'export', id: row.id, kind: row.kind, createdBy: row.createdBy, at: clock().toISOString() }
    if (order.kind !== 'person') {
      const owner = ownerFor(order.kind, sender, config)
      const { from, to } = order
      const asked = {
        from: from.toISOString(),
        to: to.toISOString(),
        ...(order.schema === null ? {} : { schema: order.schema }),
      }
      return {
        header: { ...header, ...asked, whose: owner === undefined ? 'all' : 'own' },
        records: period(order, owner),
      }
    }
    const sections = await sectionsFor(order.subject, sender, config, holderDidsOf)
    const known = await person.person(order.subject)
    const facts = { subject: order.subject, dids: known.dids, sections: [...sections] }
    return {
      header: { ...header, ...facts, cannotKnow: person.cannotKnow(known, sections) },
      records: person.records(known, sections),
    }
  }

  return {
    tasks,
    listStore: store,
    shown,

    /** @throws 400 for an unknown schema; 403 if the sender may read no record of the export */
    async create(sender: Sender, asked: Asked): Promise<Shown> {
      const order = orderOf(asked)
      if (order.kind === 'person') await sectionsFor(order.subject, sender, config, holderDidsOf)
      else ownerFor(order.kind, sender, config)
      if (asked.schema !== undefined && !(await knowsSchema(asked.schema))) throw errors.badRequest('schema is unknown')
      const id = crypto.randomUUID()
      const createdAt = clock()
      const { format } = asked
      const row = {
        id,
        createdBy: nameOf(sender),
        kind: order.kind,
        subject: order.kind === 'person' ? await vault.protect(placeOf(id), JSON.stringify(order.subject)) : null,
        from: order.kind === 'person' ? null : order.from,
        to: order.kind === 'person' ? null : order.to,
        schema: order.kind === 'person' ? null : order.schema,
        format,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + EXPORT_HOURS * 60 * 60 * 1000),
      }
      await store.insert(row, detailOf(row))
      return shown({ ...row, count: null, finishedAt: null })
    },

    read: async (sender: Sender, id: string): Promise<Shown> => shown(await found(id, sender)),

    /** The exports of a sender, for a list. */
    page: (sender: Sender) => (from: Pick<ExportStore, 'page'>, part: Parameters<ExportStore['page']>[2]) =>
      from.page(nameOf(sender), clock(), part),

    /**
     * The file of an export. The first records are read before the answer begins. If they cannot be read, the answer is a 500, and no
     * file begins.
     *
     * @param onlyLooks true for a HEAD: nothing is read or recorded
     * @throws 404, 403, and 429 or 503 if too many files are being downloaded
     */
    async content(sender: Sender, id: string, onlyLooks: boolean): Promise<Download> {
      const row = await found(id, sender)
      const { header, records } = await contentFor(row, sender)
      const file = { mediaType: MEDIA_TYPES[row.format], fileName: `${row.kind}-${id}.${row.format}` }
      const actor = nameOf(sender)
      if (onlyLooks) return { ...file, parts: none(), close: async () => {} }
      const giveBack = places.take(actor ?? '')
      try {
        await store.began(id, actor, detailOf(row))
        const begun = await withFirst(records)
        const download = counted(begun, (counts) => partsOf(row.format, row.kind, header, counts))
        return {
          ...file,
          parts: download.parts,
          close: async () => {
            giveBack()
            await download.parts.return(0)
            await store.ended({ id, actor, count: download.count(), isComplete: download.isComplete() }, clock())
          },
        }
      } catch (thrown) {
        giveBack()
        // The reason of the failure is in the log. A database that is away cannot record the end either.
        await store.ended({ id, actor, count: 0, isComplete: false }, clock()).catch(() => {})
        throw thrown
      }
    },
  }
}

type OrderFacts = Pick<StoredExport, 'kind' | 'format' | 'from' | 'to' | 'schema'>

/** The facts of an export for the audit log. They name neither claims nor the person. */
const detailOf = ({ kind, format, from, to, schema }: OrderFacts): AuditDetail => ({
  kind,
  format,
  ...(from === null ? {} : { from: from.toISOString() }),
  ...(to === null ? {} : { to: to.toISOString() }),
  ...(schema === null ? {} : { schema }),
})

async function* none(): AsyncGenerator<string, void> {}

/** Counts the records that were put into a file, and notes when the file is complete. */
function counted(records: Records, fileOf: (records: Records) => AsyncGenerator<string, number>) {
  let count = 0
  let isComplete = false
  async function* counting(): Records {
    for await (const some of records) {
      count += some.length
      yield some
    }
  }
  async function* parts(): AsyncGenerator<string, number> {
    const total = yield* fileOf(counting())
    isComplete = true
    return total
  }
  return { parts: parts(), count: () => count, isComplete: () => isComplete }
}

/** Records whose first page is read already. @throws if it cannot be read */
async function withFirst(records: Records): Promise<Records> {
  const first = await records.next()
  async function* all(): Records {
    try {
      if (first.done !== true) yield first.value
      yield* records
    } finally {
      await records.return()
    }
  }
  return all()
}
