import type { z } from 'zod'
import type { Download } from '../../../api/contract.js'
import { errors } from '../../../api/errors.js'
import { creatorIn } from '../../../auth/rights.js'
import { MEDIA_TYPES } from '../../../exports/files/files.js'
import type { DownloadPlaces } from '../../../exports/places.js'
import type { MaintenanceTask } from '../../../maintenance/task.js'
import type { Metrics } from '../../../metrics/metrics.js'
import { CONFIDENTIAL_KEY, openConfidential, sealConfidential } from '../../openid4vci/sessions/confidential.js'
import { CREDENTIAL_OFFER_STATES, type CredentialOfferState } from '../../openid4vci/sessions/session.js'
import type { ReadOpenOffer } from '../again/open-offer.js'
import { MAX_OFFERS } from '../batch/batch.contract.js'
import { type HashKeysPorts, hashKeysTask } from '../batch/stored-keys.js'
import type { Sender } from '../reach.js'
import type { readOfferBatch } from './batches.contract.js'
import { type ResultFormat, resultOf } from './result.js'
import type { FoundBatch, OfferBatchesStore, StateCount, StoredBatch } from './store.js'

type Answer = z.input<typeof readOfferBatch.output>

/** Number of offers that one statement cancels. */
const CANCELLED_AT_ONCE = 500

/** The highest number of statements of one cancellation. Wallets that take offers meanwhile can make a statement cancel fewer offers. */
const MAX_STATEMENTS = (2 * MAX_OFFERS) / CANCELLED_AT_ONCE

/** Dependencies of {@link createOfferBatches}. */
export interface OfferBatchesPorts {
  readonly store: OfferBatchesStore
  /** The stored keys of offers. */
  readonly keys: HashKeysPorts['store']
  readonly openOffer: ReadOpenOffer
  readonly sealingKey: (label: string) => Uint8Array
  readonly places: DownloadPlaces
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly clock: () => Date
}

export type OfferBatches = ReturnType<typeof createOfferBatches>

/** A batch for a list. */
export const batchView = ({ id, name, createdBy, createdAt, size, cancelledAt }: StoredBatch) => ({
  id,
  ...(name === null ? {} : { name }),
  createdBy,
  createdAt: createdAt.toISOString(),
  offers: size,
  ...(cancelledAt === null ? {} : { cancelledAt: cancelledAt.toISOString() }),
})

function countsOf(found: readonly StateCount[]) {
  const of = (isCounted: (each: StateCount) => boolean) =>
    found.filter(isCounted).reduce((sum, { count }) => sum + count, 0)
  const inState = (state: CredentialOfferState) => of((each) => each.state === state)
  return {
    // The cast is safe: every state has a member.
    counts: Object.fromEntries(CREDENTIAL_OFFER_STATES.map((state) => [state, inState(state)])) as Answer['counts'],
    taken: inState('CredentialIssued') + inState('Accepted'),
    cancelled: of(({ cancelled }) => cancelled),
  }
}

/** Batches of credential offers after they were made: they are listed, read and cancelled, and have a result file. */
export function createOfferBatches(ports: OfferBatchesPorts) {
  const { store, keys, openOffer, sealingKey, places, metrics, clock } = ports
  const confidentialKey = sealingKey(CONFIDENTIAL_KEY)

  /** @throws 404 for a batch that the sender does not reach */
  const batchFor = async (sender: Sender, id: string): Promise<FoundBatch> => {
    const found = await store.find(id, creatorIn(sender.reach))
    if (found === undefined) throw errors.offerBatchNotFound()
    return found
  }

  const shown = async (batch: FoundBatch): Promise<Answer> => {
    const { reason } = openConfidential(confidentialKey, batch.id, batch.sealed)
    const counts = countsOf(await store.counts(batch.id))
    return { ...batchView(batch), ...counts, ...(reason === undefined ? {} : { reason }) }
  }

  /** Cancels open offers of a cancelled batch, and notes when none is left. */
  const cancelSome = async (id: string, now: Date, limit: number) => {
    const count = await store.cancelSome(id, now, limit)
    for (let each = 0; each < count; each += 1) metrics.offerSession('cancelled')
    return { count, isDone: count < limit && (await store.endCancellation(id, now)) }
  }

  const tasks: readonly MaintenanceTask[] = [
    {
      name: 'cancel batches of offers',
      everyMs: 15_000,
      // A process may have stopped in the middle of a cancellation.
      run: async (now, batchSize) => {
        const batch = await store.cancelling()
        if (batch === undefined) return { count: 0, more: false, lateSeconds: 0 }
        const { count } = await cancelSome(batch.id, now, Math.min(batchSize, CANCELLED_AT_ONCE))
        return { count, more: true, lateSeconds: (now.getTime() - batch.cancelledAt.getTime()) / 1000 }
      },
    },
    {
      name: 'erase reasons of batches',
      everyMs: 600_000,
      // Nothing stores when the last offer lost its claims, so no reason is late.
      run: async (now, batchSize) => {
        const { count, more } = await store.forgetReasons(now, batchSize)
        return { count, more, lateSeconds: 0 }
      },
    },
    hashKeysTask({ store: keys, sealingKey }),
  ]

  return {
    tasks,
    listStore: store,

    /** The batches that a sender reaches, for a list. */
    page: (sender: Sender) => {
      const createdBy = creatorIn(sender.reach)
      return (from: Pick<OfferBatchesStore, 'page'>, part: Parameters<OfferBatchesStore['page']>[1]) =>
        from.page(createdBy, part)
    },

    /** @throws 404 for a batch that the sender does not reach */
    read: async (sender: Sender, id: string): Promise<Answer> => shown(await batchFor(sender, id)),

    /**
     * Cancels all open offers of a batch. Each statement cancels whole offers. A repeat continues a cancellation that was interrupted, as
     * the maintenance job does.
     *
     * @throws 404 for a batch that the sender does not reach
     */
    async cancel(
      sender: Sender,
      { id, reason }: { readonly id: string; readonly reason?: string | undefined },
    ): Promise<Answer> {
      await batchFor(sender, id)
      const sealed = reason === undefined ? undefined : sealConfidential(confidentialKey, id, { reason })
      await store.cancel({ id, sealed, actor: sender.caller?.sub ?? null, now: clock() })
      for (let statements = 0; statements < MAX_STATEMENTS; statements += 1) {
        const { isDone } = await cancelSome(id, clock(), CANCELLED_AT_ONCE)
        if (isDone) break
      }
      return shown(await batchFor(sender, id))
    },

    /**
     * The result file of a batch. The first offers are read before the answer begins.
     *
     * @param onlyLooks true for a HEAD: nothing is read or recorded
     * @throws 404 for a batch that the sender does not reach, 429 or 503 if too many files are being downloaded
     */
    async result(
      sender: Sender,
      { id, format }: { readonly id: string; readonly format: ResultFormat },
      onlyLooks: boolean,
    ): Promise<Download> {
      const batch = await batchFor(sender, id)
      const file = { mediaType: MEDIA_TYPES[format], fileName: `offers-${id}.${format}` }
      if (onlyLooks) return { ...file, parts: none(), close: async () => {} }
      const actor = sender.caller?.sub ?? null
      const giveBack = places.take(actor ?? '')
      try {
        await store.downloaded(id, actor)
        const parts = await resultOf(batch, format, { store, openOffer })
        return {
          ...file,
          parts,
          close: async () => {
            giveBack()
            await parts.return()
          },
        }
      } catch (thrown) {
        giveBack()
        throw thrown
      }
    },
  }
}

async function* none(): AsyncGenerator<string, void> {}
