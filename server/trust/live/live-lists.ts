import {
  definitionId,
  LIST_PURPOSES,
  type ListDefinition,
  type ListPurpose,
  MAX_LISTS,
} from '../../config/trust-lists.js'
import type { Log } from '../../log/log.js'
import type { ListedTrust } from '../../protocol/issuer-keys/listed-trust.js'
import { type Anchors, compileAnchors } from '../../protocol/trust-lists/match/anchors.js'
import type { DocumentState, DocumentStore } from '../document-store.js'
import { documentIdOf, jobOf, nameOf } from '../documents.js'
import type { ListReading } from '../reading/reader.js'
import { definitionOf, type TrustListStore } from '../store.js'
import { compileList, joinAnchors } from './compile.js'
import { untilOf } from './list-state.js'
import { createListedTrust, type PurposeLists } from './listed.js'
import type { LiveList, ReadVersion } from './live-list.js'

/** A change of a list reaches each process within this time. */
const EVERY_MS = 20_000

/** Dependencies of {@link createLiveLists}. */
export interface LiveListsPorts {
  readonly configured: readonly ListDefinition[]
  readonly lists: Pick<TrustListStore, 'added'>
  readonly documents: Pick<DocumentStore, 'states' | 'content'>
  readonly reading: Pick<ListReading, 'read'>
  readonly clock: () => Date
  readonly log: Pick<Log, 'warn' | 'info'>
  /** Milliseconds between two looks at the database. Default: 20,000. */
  readonly everyMs?: number | undefined
}

export type LiveLists = ReturnType<typeof createLiveLists>

/** A definition with its id. */
export interface Named {
  readonly id: string
  readonly isAdded: boolean
  readonly definition: ListDefinition
}

/** What a process has compiled for one definition. The signature of the anchors changes with its parts. */
interface Compiled extends ReadVersion {
  /** Until when the list is trusted. It grows if the address confirms the list. */
  readonly source: { until: Date }
}

/** Checks that depend on the clock of this process. Content that fails them is read again at the next look. */
const REFUSED_FOR_NOW: ReadonlySet<string | undefined> = new Set(['not-yet-issued', 'header'])

/** The version of a list whose content this process could not read. It is read again at the next look. */
const UNREADABLE: Compiled = {
  version: -1,
  list: undefined,
  refused: { check: 'not-read', sentence: 'The list could not be read by this process.' },
  signer: undefined,
  anchors: [],
  source: { until: new Date(0) },
}

/**
 * The trusted lists in the memory of this process. They are read from the database: at the start, and again at short
 * intervals. Each process checks the signature of stored content itself. Nothing is fetched here.
 */
export function createLiveLists({
  configured,
  lists,
  documents,
  reading,
  clock,
  log,
  everyMs = EVERY_MS,
}: LiveListsPorts) {
  const compiled = new Map<string, Compiled>()
  let live: readonly LiveList[] = []
  let purposes: ReadonlyMap<ListPurpose, PurposeLists> = new Map(
    LIST_PURPOSES.map((purpose) => [purpose, { purpose, lists: [], anchors: compileAnchors([]) }]),
  )
  let running: Promise<void> | undefined
  /** The look after the running one. */
  let next: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const definitions = async (): Promise<readonly Named[]> => {
    const added = await lists.added(MAX_LISTS)
    return [
      ...configured.map((definition) => ({ id: definitionId(definition), isAdded: false, definition })),
      ...added.map((row) => ({ id: row.id, isAdded: true, definition: definitionOf(row) })),
    ]
  }

  /** Reads and compiles the stored content of a list. */
  const readVersion = async ({ definition }: Named, state: DocumentState): Promise<Compiled | undefined> => {
    const stored = await documents.content(state.id)
    if (stored === undefined) return undefined
    const read = await reading.read(stored.bytes, jobOf(definition, clock()))
    if (!read.accepted) {
      const refused = { check: read.check, sentence: read.sentence }
      const source = { until: new Date(0) }
      return { version: stored.version, list: undefined, refused, signer: undefined, anchors: [], source }
    }
    const { list, signer } = read
    const source = { id: nameOf(definition), types: definition.types, until: untilOf({ definition, state, list }) }
    const anchors = await compileList(source, list)
    return { version: stored.version, list, refused: undefined, signer, anchors, source }
  }

  /** @returns whether the anchors of the list have changed */
  const bring = async (named: Named, state: DocumentState | undefined): Promise<boolean> => {
    const before = compiled.get(named.id)
    if (state === undefined || state.version === 0) return compiled.delete(named.id)
    if (before?.version !== state.version || REFUSED_FOR_NOW.has(before.refused?.check)) {
      const now = await readVersion(named, state).catch((error: unknown) => {
        log.warn(
          { list: nameOf(named.definition), err: error },
          'a trusted list cannot be read: its entities are not trusted',
        )
        return UNREADABLE
      })
      if (now === undefined) return compiled.delete(named.id)
      compiled.set(named.id, now)
      return true
    }
    if (before.list !== undefined)
      before.source.until = untilOf({ definition: named.definition, state, list: before.list })
    return false
  }

  const join = async (purpose: ListPurpose): Promise<PurposeLists> => {
    const ofPurpose = live.filter(({ definition }) => definition.purpose === purpose)
    const anchors = await joinAnchors(ofPurpose.flatMap(({ id }) => compiled.get(id)?.anchors ?? []))
    return { purpose, lists: ofPurpose, anchors }
  }

  const look = async (): Promise<void> => {
    const named = await definitions()
    const ids = [...new Set(named.map(({ definition }) => documentIdOf(definition)))]
    const states = new Map((ids.length === 0 ? [] : await documents.states(ids)).map((state) => [state.id, state]))
    const changed = new Set<ListPurpose>()
    for (const one of named) {
      const { definition } = one
      if (await bring(one, states.get(documentIdOf(definition)))) changed.add(definition.purpose)
      if (!live.some(({ id }) => id === one.id)) changed.add(definition.purpose)
    }
    for (const { id, definition } of live) {
      if (named.some((one) => one.id === id)) continue
      compiled.delete(id)
      changed.add(definition.purpose)
    }
    live = named.map(({ id, isAdded, definition }) => {
      const documentId = documentIdOf(definition)
      const { list, refused, signer } = compiled.get(id) ?? {}
      return { id, isAdded, definition, documentId, state: states.get(documentId), list, refused, signer }
    })
    const next = new Map(purposes)
    for (const purpose of LIST_PURPOSES) {
      const before = next.get(purpose)
      if (before === undefined || changed.has(purpose)) next.set(purpose, await join(purpose))
      else next.set(purpose, { ...before, lists: live.filter(({ definition }) => definition.purpose === purpose) })
    }
    purposes = next
  }

  /** Looks at the database, after a look that is under way. Callers who wait for that look share the next one. */
  const refresh = (): Promise<void> => {
    if (running === undefined) {
      running = look().finally(() => {
        running = undefined
      })
      return running
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return refresh()
      })
    return next
  }

  const schedule = (): void => {
    if (closed) return
    timer = setTimeout(() => {
      refresh()
        .catch((error: unknown) => log.warn({ err: error }, 'trusted lists cannot be read from the database'))
        .finally(schedule)
    }, everyMs)
    timer.unref()
  }

  const current = (purpose: ListPurpose): PurposeLists => {
    const found = purposes.get(purpose)
    if (found === undefined) throw new Error(`There is no purpose ${purpose}.`)
    return found
  }

  const anchorsOf = (id: string): readonly Anchors[] => compiled.get(id)?.anchors ?? []
  const source = { current, anchorsOf }

  return {
    /** Loads the lists before the process serves, and looks for changes from then on. */
    async start(): Promise<void> {
      await refresh()
      schedule()
    },

    refresh,

    /** All lists, as this process knows them. */
    all: (): readonly LiveList[] => live,

    definitions,

    /** The anchors of one list, in parts. */
    anchorsOf,

    current,

    /** The lists of each purpose, for the verification of chains. */
    trust: {
      credentials: createListedTrust('credentials', 'issuance', source),
      status: createListedTrust('status', 'status', source),
      verifiers: createListedTrust('verifiers', 'issuance', source),
      registrars: createListedTrust('registrars', 'issuance', source),
      wallets: createListedTrust('wallets', 'issuance', source),
      walletStatus: createListedTrust('wallets', 'status', source),
    } satisfies Record<string, ListedTrust>,

    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await running?.catch(() => undefined)
    },
  }
}
