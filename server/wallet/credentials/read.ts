import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import { shownCredential } from './credential-json.js'
import type { readWalletCredential } from './credentials.contract.js'
import { openCredential } from './held.js'
import { statusesOf } from './statuses.js'

/** A credential of a holder with its claims, its status as it is now, and the credential itself. @throws 404 */
export async function heldCredential(
  deps: Deps,
  { holderId, credentialId }: z.output<ReturnType<typeof readWalletCredential>['input']>,
) {
  const row = await deps.stores.walletCredentials.find(holderId, credentialId)
  if (row === undefined) throw errors.credentialNotFound()
  const held = await openCredential(deps, row)
  const [status = 'unknown'] = await statusesOf(deps, [held])
  const claims = { ...(await deps.formats.named(held.format).holding.claimsOf(held.compact)) }
  return { ...shownCredential(held, status), claims, credential: held.compact }
}
