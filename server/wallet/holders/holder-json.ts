import type { z } from 'zod'
import type { StoredDid } from '../../dids/store.js'
import type { zHolder } from './holders.contract.js'
import type { Holder } from './store.js'

/** A holder as the API answers with it. */
export const shownHolder = (holder: Holder): z.input<typeof zHolder> => ({
  id: holder.id,
  did: holder.did,
  method: holder.method as 'key' | 'web',
  createdAt: holder.createdAt.toISOString(),
})

/** A DID of a holder as the API answers with it. */
export const shownDid = ({ did, method, createdAt }: StoredDid) => ({ did, method, createdAt: createdAt.toISOString() })
