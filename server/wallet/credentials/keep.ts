import type { Deps } from '../../deps.js'
import type { Taken } from '../openid4vci/receive.js'
import type { Receipt } from '../openid4vci/verify-received.js'
import type { HeldCredential } from './held.js'
import type { NewCopy } from './store.js'

async function copyOf(deps: Pick<Deps, 'newId' | 'vault'>, { compact, key, kid }: Receipt): Promise<NewCopy> {
  const { vault } = deps
  const id = deps.newId()
  const place = { column: 'wallet_credential_copies.private_jwk', id } as const
  const privateJwk = key.privateJwk === null ? null : await vault.protect(place, JSON.stringify(key.privateJwk))
  const protectedCompact = await vault.protect({ column: 'wallet_credential_copies.compact', id }, compact)
  return { id, compact: protectedCompact, kid, keyId: key.keyId, privateJwk }
}

/** Stores what was taken: a credential with its copies. */
export async function keep(
  deps: Pick<Deps, 'clock' | 'newId' | 'stores' | 'vault'>,
  { holderId, actor }: { readonly holderId: string; readonly actor: string },
  { format, receipts }: Taken,
): Promise<HeldCredential> {
  const id = deps.newId()
  const createdAt = deps.clock()
  const [{ content, compact }] = receipts
  const copies = await Promise.all(receipts.map((receipt) => copyOf(deps, receipt)))
  const [first] = copies
  if (first === undefined) throw new Error('A credential without a copy was taken.')
  const protectedContent = await deps.vault.protect(
    { column: 'wallet_credentials.content', id },
    JSON.stringify(content),
  )
  await deps.stores.walletCredentials.insert(
    { id, holderId, format: format.name, content: protectedContent, createdAt, copies },
    { actor, action: 'wallet.credential.received', subject: 'wallet_credential', subjectId: id },
  )
  return { ...first, id, format: format.name, content, createdAt, copyId: first.id, compact }
}
