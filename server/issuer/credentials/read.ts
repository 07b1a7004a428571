import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { CredentialRecord } from './store.js'

/** A credential that belongs to its caller. @throws 404 where there is none, or it belongs to somebody else. */
export async function ownCredential(
  { stores }: Pick<Deps, 'stores'>,
  { sub, tokenDids }: Caller,
  id: string,
): Promise<CredentialRecord> {
  const credential = await stores.credentials.findOwned(id, sub, tokenDids)
  if (credential === undefined) throw errors.credentialNotFound()
  return credential
}
