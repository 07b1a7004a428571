import type { z } from 'zod'
import { didSpellings } from '../../agent/dids.js'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Lists } from '../../database/replica/lists.js'
import type { Dids } from '../../dids/dids.js'
import type { DidMethod, Identify } from '../../dids/identity.js'
import type { DidStore, StoredDid } from '../../dids/store.js'
import type { createHolder, createHolderDid, deleteHolderDid, renameHolder, zHolder } from './holders.contract.js'
import type { Holder, HolderStore } from './store.js'

/** A holder in the form of the API. */
export const shownHolder = (holder: Holder): z.input<typeof zHolder> => ({
  id: holder.id,
  did: holder.did,
  method: holder.method as DidMethod,
  ...(holder.name === null ? {} : { name: holder.name }),
  createdAt: holder.createdAt.toISOString(),
})

/** A DID of a holder in the form of the API. */
export const shownDid = ({ did, method, createdAt }: StoredDid): z.input<typeof createHolderDid.output> => ({
  did,
  method,
  createdAt: createdAt.toISOString(),
})

/** Dependencies of {@link createHolders}. */
export interface HoldersPorts {
  readonly store: Pick<HolderStore, 'insert' | 'removeDid' | 'rename'>
  readonly lists: Lists<{ holders: Pick<HolderStore, 'createdBy'>; dids: Pick<DidStore, 'ofHolder'> }>
  readonly config: Pick<Config, 'issuerBaseUrl'>
  /** Creates a key pair and its DIDs without storing them. */
  readonly identify: Identify
  readonly createDid: Dids['create']
  readonly newId: () => string
}

export type Holders = ReturnType<typeof createHolders>

/** The owners of hosted wallets, with their DIDs. */
export function createHolders({ store, lists, config, identify, createDid, newId }: HoldersPorts) {
  return {
    lists,

    /**
     * Creates a holder with a DID and a key.
     *
     * @param createdBy the `sub` of the user, who owns the holder
     */
    async create({ method, name }: z.output<typeof createHolder.input>, createdBy: string): Promise<Holder> {
      const id = newId()
      const identity = await identify({
        method,
        purpose: 'holder',
        createdBy,
        holderId: id,
        baseUrl: config.issuerBaseUrl,
      })
      return store.insert({ id, method, name: name ?? null, createdBy }, identity, [
        { actor: createdBy, action: 'holder.created', subject: 'holder', subjectId: id },
        { actor: createdBy, action: 'key.created', subject: 'key', subjectId: identity.key.id },
      ])
    },

    /** Gives a holder another name. */
    rename: ({ holderId, name }: z.output<typeof renameHolder.input>, actor: string): Promise<Holder> =>
      store.rename(holderId, name, actor),

    /** Creates a further DID of a holder, with its own key. */
    createDid: ({ holderId, method }: z.output<typeof createHolderDid.input>, createdBy: string): Promise<StoredDid> =>
      createDid({ method, purpose: 'holder', createdBy, holderId }),

    /**
     * Deletes a DID of a holder with its key.
     *
     * @throws 404 for an unknown DID, 409 while a credential is bound to the DID.
     */
    async removeDid({ holderId, did }: z.output<typeof deleteHolderDid.input>, actor: string): Promise<void> {
      const outcome = await store.removeDid(holderId, didSpellings(did), actor)
      if (outcome === 'unknown') throw errors.holderDidNotFound()
      if (outcome === 'in-use') throw errors.holderDidInUse()
    },
  }
}
