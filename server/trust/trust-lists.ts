import type { z } from 'zod'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { contradictionOf, type ListDefinition, MAX_LISTS, sameList } from '../config/trust-lists.js'
import type { Outbound } from '../outbound/guard.js'
import { OutboundError } from '../outbound/outbound-error.js'
import { statusOf } from './live/list-state.js'
import type { LiveList } from './live/live-list.js'
import type { LiveLists } from './live/live-lists.js'
import type { Refresh } from './refresh.js'
import { shownEntity, shownList } from './shown-list.js'
import type { TrustListStore } from './store.js'
import type { addTrustList, listTrustListEntities, readTrustList, refreshTrustList } from './trust-lists.contract.js'

type Shown = z.input<typeof readTrustList.output>

const DEFAULT_ENTITIES = 20

/** Refusals of the guard that are about the address itself. The others may pass later. */
const ABOUT_ADDRESS: ReadonlySet<string> = new Set(['url', 'scheme', 'own-path', 'address'])

/** Dependencies of {@link createTrustLists}. */
export interface TrustListsPorts {
  readonly store: Pick<TrustListStore, 'add' | 'added' | 'count' | 'remove'>
  readonly live: Pick<LiveLists, 'all' | 'refresh'>
  readonly refresh: Refresh
  readonly outbound: Pick<Outbound, 'check'>
  readonly config: Pick<Config, 'trustLists'>
  readonly clock: () => Date
  readonly newId: () => string
}

export type TrustLists = ReturnType<typeof createTrustLists>

/** The trusted lists, as admins see and change them. */
export function createTrustLists({ store, live, refresh, outbound, config, clock, newId }: TrustListsPorts) {
  const rows = async () => new Map((await store.added(MAX_LISTS)).map((row) => [row.id, row]))

  /** A list as this process knows it. @throws 404 for an unknown id */
  const known = (id: string): LiveList => {
    const list = live.all().find((one) => one.id === id)
    if (list === undefined) throw errors.trustListNotFound()
    return list
  }

  /** A list with its newest state. @throws 404 for an unknown id */
  const found = async (id: string): Promise<LiveList> => {
    await live.refresh()
    return known(id)
  }

  const shown = async (list: LiveList): Promise<Shown> => shownList(list, (await rows()).get(list.id), clock())

  /** @throws 400 for an address that is never requested, such as a private address that the configuration does not allow */
  const checkAddress = async (url: string): Promise<void> => {
    try {
      await outbound.check(url)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      if (ABOUT_ADDRESS.has(error.code)) throw errors.badRequest(`url cannot be requested: ${error.message}`)
    }
  }

  return {
    /** @throws 404 */
    read: async (id: string): Promise<Shown> => shown(await found(id)),

    async list(): Promise<{ items: Shown[] }> {
      await live.refresh()
      const [added, now] = [await rows(), clock()]
      return { items: live.all().map((one) => shownList(one, added.get(one.id), now)) }
    },

    /**
     * Adds a list, and reads it at once. The request takes no `Idempotency-Key`: its transaction would wait for another server.
     *
     * @param actor the `sub` of the admin; null for the client secret
     * @throws 400, 409
     */
    async add({ note, ...members }: z.output<typeof addTrustList.input>, actor: string | null): Promise<Shown> {
      const definition: ListDefinition = members
      const contradiction = contradictionOf(definition)
      if (contradiction !== undefined) throw errors.badRequest(contradiction)
      await checkAddress(definition.url)
      if (config.trustLists.some((one) => sameList(one, definition))) throw errors.trustListAdded()
      // Two calls at once may exceed the limit by one. The limit only protects the memory.
      if (config.trustLists.length + (await store.count()) >= MAX_LISTS) throw errors.tooManyTrustLists(MAX_LISTS)
      const id = newId()
      if ((await store.add(id, definition, note ?? null, actor)) === undefined) throw errors.trustListAdded()
      // A list that another process reads at this moment is shown as it is.
      if ((await refresh.now(definition)) === undefined) await live.refresh()
      return shown(known(id))
    },

    /** @throws 404, or 409 if another process reads the list now */
    async refresh(id: string): Promise<z.input<typeof refreshTrustList.output>> {
      const before = live.all().find((one) => one.id === id) ?? (await found(id))
      const outcome = await refresh.now(before.definition)
      if (outcome === undefined) throw errors.trustListBusy()
      return { outcome, list: await shown(known(id)) }
    },

    /** @throws 404, or 409 for a list of TRUST_LISTS */
    async remove(id: string, actor: string | null): Promise<void> {
      const list = await found(id)
      if (!list.isAdded) throw errors.trustListConfigured()
      if (!(await store.remove(id, actor))) throw errors.trustListNotFound()
      await live.refresh()
    },

    /** @throws 404 */
    async entities({
      id,
      limit = DEFAULT_ENTITIES,
      after = 0,
      search,
    }: z.output<typeof listTrustListEntities.input>): Promise<z.input<typeof listTrustListEntities.output>> {
      const live = await found(id)
      const now = clock()
      const isUsable = statusOf(live, now).state !== 'unusable'
      const wanted = search?.toLowerCase()
      const all = live.list?.entities ?? []
      const items: ReturnType<typeof shownEntity>[] = []
      for (let at = after; at < all.length; at += 1) {
        const entity = all[at]
        if (entity === undefined) break
        const isWanted =
          wanted === undefined || Object.values(entity.names).some((name) => name.toLowerCase().includes(wanted))
        if (!isWanted) continue
        if (items.length === limit) return { items, next: at }
        items.push(shownEntity(entity, isUsable, now))
      }
      return { items }
    },
  }
}
