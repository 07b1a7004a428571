import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { deleteWalletCredential } from './credentials.contract.js'

/** Removes a credential of a holder with all its copies. @throws 404 where there is no such credential. */
export async function removeCredential(
  { stores }: Pick<Deps, 'stores'>,
  caller: Caller,
  { holderId, credentialId }: z.output<typeof deleteWalletCredential.input>,
): Promise<void> {
  const removed = await stores.walletCredentials.remove(holderId, credentialId, caller.sub)
  if (!removed) throw errors.credentialNotFound()
}
