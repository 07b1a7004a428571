import type { z } from 'zod'
import { didSpellings } from '../../agent/dids.js'
import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { deleteHolderDid } from './holders.contract.js'

/** Removes a DID of a holder with its key. @throws 404 for an unknown DID, 409 while a credential is bound to it. */
export async function removeDid(
  { stores }: Pick<Deps, 'stores'>,
  caller: Caller,
  { holderId, did }: z.output<typeof deleteHolderDid.input>,
): Promise<void> {
  const outcome = await stores.holders.removeDid(holderId, didSpellings(did), caller.sub)
  if (outcome === 'unknown') throw errors.holderDidNotFound()
  if (outcome === 'in-use') throw errors.holderDidInUse()
}
