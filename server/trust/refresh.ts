import type { ListDefinition } from '../config/trust-lists.js'
import type { Log } from '../log/log.js'
import { DAY_SECONDS, type MaintenanceTask, secondsBefore, type TaskDone } from '../maintenance/task.js'
import type { Outbound } from '../outbound/guard.js'
import type { TrustList } from '../protocol/trust-lists/trust-list.js'
import type { DocumentState, DocumentStore, TakenDocument } from './document-store.js'
import { documentIdOf, jobOf, nameOf } from './documents.js'
import { fetchList } from './fetch-list.js'
import type { TrustListCheck } from './list-check.js'
import { LIST_STATES, type ListStatus, statusOf } from './live/list-state.js'
import type { LiveLists } from './live/live-lists.js'
import type { ListReading } from './reading/reader.js'

/** A list is read again after an hour. Most lists change once in some weeks, and conditional requests are cheap. */
const AGAIN_SECONDS = 3_600
/** A list that could not be read is tried again after this time. */
const RETRY_SECONDS = 300
/** The share of the time by which it is shortened at random, so that installations do not ask at the same moment. */
const JITTER = 0.2
/** No other process reads a list for this time: ten seconds for the answer, and the time to read it. */
const LEASE_SECONDS = 120
/** Lists that are read at the same time. Each may hold 16 MiB. */
const LISTS_AT_ONCE = 3
const EVERY_MS = 10_000
/** Content that no configuration names any more is removed after this time. */
const KEPT_SECONDS = 30 * DAY_SECONDS

/** How an attempt to read a list ended: with new content, without a change, or with a failed check. */
export type RefreshOutcome = 'changed' | 'unchanged' | TrustListCheck

/** The content of a list before and after a change. */
export interface ChangedContent {
  readonly before: TrustList
  readonly next: TrustList
  /** The alert about the content before; null if there was none. */
  readonly alert: string | null
}

/** Says which own certificates a new content no longer vouches for; undefined if there are none. */
export type OwnRemoved = (
  definitions: readonly ListDefinition[],
  content: ChangedContent,
  now: Date,
) => Promise<string | undefined>

/** Dependencies of {@link createRefresh}. */
export interface RefreshPorts {
  readonly documents: Pick<
    DocumentStore,
    'accept' | 'confirm' | 'content' | 'fail' | 'noteState' | 'removeUnwanted' | 'states' | 'take' | 'takeDue' | 'want'
  >
  readonly live: Pick<LiveLists, 'definitions' | 'refresh'>
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly reading: Pick<ListReading, 'read'>
  readonly ownRemoved: OwnRemoved
  readonly clock: () => Date
  /** From 0 to 1. */
  readonly random: () => number
  readonly log: Pick<Log, 'warn' | 'info' | 'error'>
  readonly onOutcome: (outcome: RefreshOutcome) => void
}

export type Refresh = ReturnType<typeof createRefresh>

type ListState = ListStatus['state']

/** The worst state of a document. Its definitions may have different members `maxAgeHours`. */
function stateOf(state: DocumentState, definitions: readonly ListDefinition[], now: Date): ListState {
  const end = state.nextUpdate === null ? {} : { nextUpdate: state.nextUpdate }
  const list = state.version === 0 ? undefined : end
  const states = definitions.map((definition) => statusOf({ definition, state, list, refused: undefined }, now).state)
  return LIST_STATES.toReversed().find((each) => states.includes(each)) ?? 'usable'
}

/** Reads trusted lists from their addresses. Content that fails a check is refused, and the content before stays. */
export function createRefresh(ports: RefreshPorts) {
  const { documents, live, outbound, reading, ownRemoved, clock, random, log, onOutcome } = ports

  const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000 * (1 - JITTER * random()))

  /** The definitions of each document. They differ only in members that do not decide which content is accepted. */
  const definitionsByDocument = async (): Promise<ReadonlyMap<string, readonly ListDefinition[]>> => {
    const byDocument = new Map<string, ListDefinition[]>()
    for (const { definition } of await live.definitions()) {
      const id = documentIdOf(definition)
      const known = byDocument.get(id)
      if (known === undefined) byDocument.set(id, [definition])
      else known.push(definition)
    }
    return byDocument
  }

  const want = async (byDocument: ReadonlyMap<string, readonly ListDefinition[]>, now: Date) => {
    const wanted = [...byDocument].flatMap(([id, [first]]) => (first === undefined ? [] : [{ id, url: first.url }]))
    await documents.want(wanted, now)
  }

  /**
   * Writes an audit event for each list whose state has changed, such as a list that fails, recovers, or has reached its own end. The
   * state is judged by the database alone, so that all processes find the same one, and only the first of them writes.
   */
  const noteStates = async (byDocument: ReadonlyMap<string, readonly ListDefinition[]>, now: Date) => {
    for (const known of await documents.states([...byDocument.keys()])) {
      if (known.version === 0 && known.failure === null) continue
      const state = stateOf(known, byDocument.get(known.id) ?? [], now)
      if (state !== known.notedState) await documents.noteState(known, state)
    }
  }

  const fail = async (
    { id, url }: TakenDocument,
    check: TrustListCheck,
    sentence: string,
    now: Date,
  ): Promise<RefreshOutcome> => {
    log.warn({ list: nameOf({ url }), check, reason: sentence }, 'a trusted list cannot be read')
    await documents.fail(id, check, sentence, now, after(now, RETRY_SECONDS))
    return check
  }

  /** The content before. It is read as at the time of its issue, because it may have expired. Undefined if it can no longer be read. */
  const formerList = async (
    definition: ListDefinition,
    { issuedAt }: TakenDocument,
    bytes: Uint8Array,
  ): Promise<TrustList | undefined> => {
    if (issuedAt === null) return undefined
    const read = await reading.read(bytes, jobOf(definition, issuedAt))
    return read.accepted ? read.list : undefined
  }

  /** Reads one list that this process has taken. */
  const readOne = async (
    taken: TakenDocument,
    definitions: readonly ListDefinition[],
    now: Date,
  ): Promise<RefreshOutcome> => {
    const [definition] = definitions
    if (definition === undefined) throw new Error('A trusted list was taken that nothing names.')
    const fetched = await fetchList(outbound, definition, taken)
    if ('failed' in fetched) return fail(taken, fetched.failed, fetched.sentence, now)
    const { bytes, etag, lastModified } = fetched
    const dueAt = after(now, AGAIN_SECONDS)
    const stored = taken.version === 0 ? undefined : await documents.content(taken.id)
    const content = bytes ?? stored?.bytes
    if (content === undefined) throw new Error('A trusted list was confirmed that is not stored.')
    const { sequenceNumber, issuedAt } = taken
    const previous = issuedAt === null ? undefined : { sequenceNumber: sequenceNumber ?? undefined, issuedAt }
    const read = await reading.read(content, jobOf(definition, now, previous))
    if (!read.accepted) return fail(taken, read.check, read.sentence, now)
    if (bytes === undefined || (stored !== undefined && Buffer.compare(bytes, stored.bytes) === 0)) {
      await documents.confirm(taken.id, now, dueAt, etag, lastModified)
      return 'unchanged'
    }
    const { list } = read
    const before = stored === undefined ? undefined : await formerList(definition, taken, stored.bytes)
    const alert =
      before === undefined ? undefined : await ownRemoved(definitions, { before, next: list, alert: taken.alert }, now)
    if (alert !== undefined) log.error({ list: nameOf(taken) }, alert)
    await documents.accept(
      taken.id,
      {
        bytes,
        after: taken.version,
        sequenceNumber: list.sequenceNumber,
        issuedAt: list.issuedAt,
        nextUpdate: list.nextUpdate,
        etag,
        lastModified,
        alert,
        isNewAlert: alert !== undefined && alert !== taken.alert,
      },
      now,
      dueAt,
    )
    if (taken.failedAt !== null) log.info({ list: nameOf(taken) }, 'a trusted list can be read again')
    return 'changed'
  }

  /** Reads one list. An error of this service is stored as a failure, so that the list is not tried at once again. */
  const attempt = async (
    taken: TakenDocument,
    definitions: readonly ListDefinition[],
    now: Date,
  ): Promise<RefreshOutcome> => {
    const outcome = await readOne(taken, definitions, now).catch(async (error: unknown): Promise<RefreshOutcome> => {
      log.error({ list: nameOf(taken), err: error }, 'a trusted list cannot be read: the service has failed')
      await documents.fail(taken.id, 'failed', 'The service could not read the list.', now, after(now, RETRY_SECONDS))
      return 'failed'
    })
    onOutcome(outcome)
    return outcome
  }

  const readDue = async (now: Date): Promise<TaskDone> => {
    const byDocument = await definitionsByDocument()
    if (byDocument.size === 0) return { count: 0, more: false, lateSeconds: 0 }
    await want(byDocument, now)
    const due = await documents.takeDue([...byDocument.keys()], now, LISTS_AT_ONCE, LEASE_SECONDS)
    await Promise.all(due.map((taken) => attempt(taken, byDocument.get(taken.id) ?? [], now)))
    if (due.length > 0) await live.refresh()
    await noteStates(byDocument, now)
    const first = due.reduce((least, { at }) => (at < least ? at : least), now)
    return {
      count: due.length,
      more: due.length >= LISTS_AT_ONCE,
      lateSeconds: Math.max(0, (now.getTime() - first.getTime()) / 1000),
    }
  }

  const tasks: readonly MaintenanceTask[] = [
    { name: 'read trusted lists', everyMs: EVERY_MS, elsewhere: true, run: readDue },
    {
      name: 'remove contents of trusted lists',
      everyMs: 3_600_000,
      run: async (now, limit) => {
        const count = await documents.removeUnwanted(secondsBefore(now, KEPT_SECONDS), limit)
        return { count, more: count >= limit, lateSeconds: 0 }
      },
    },
  ]

  return {
    tasks,

    /**
     * Reads one list now.
     *
     * @returns how it ended; undefined if another process reads the list at the moment
     */
    async now(definition: ListDefinition): Promise<RefreshOutcome | undefined> {
      const now = clock()
      const id = documentIdOf(definition)
      const byDocument = await definitionsByDocument()
      await documents.want([{ id, url: definition.url }], now)
      const taken = await documents.take(id, now, LEASE_SECONDS)
      if (taken === undefined) return undefined
      const named = byDocument.get(id) ?? [definition]
      const outcome = await attempt(taken, named, now)
      await live.refresh()
      await noteStates(new Map([[id, named]]), now)
      return outcome
    },
  }
}
