import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'

/**
 * Revokes a credential with all its instances; a second time nothing changes.
 *
 * @param caller the user behind it; undefined for a client secret
 * @throws 404 where there is no such credential.
 */
export async function revoke(
  { stores, clock }: Pick<Deps, 'stores' | 'clock'>,
  caller: Caller | undefined,
  id: string,
): Promise<void> {
  const exists = await stores.credentials.revoke(id, clock(), caller?.sub ?? null)
  if (!exists) throw errors.credentialNotFound()
}
