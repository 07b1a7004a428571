import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import type { Deps } from '../../deps.js'
import type { StoredDid } from '../../dids/store.js'
import { errors } from '../../errors.js'
import { type Taken, takeOffer } from '../openid4vci/take-offer.js'
import type { Receipt } from '../openid4vci/verify-received.js'
import { holderKeys } from '../protocol/wallet-keys.js'
import type { HeldCredential } from './held.js'
import type { NewCopy } from './store.js'

export interface TakeIntoWallet {
  readonly holderId: string
  /** The `sub` on whose behalf. */
  readonly actor: string
  readonly offer: CredentialOfferObject
  /** The holder's DIDs, the preferred one first. */
  readonly dids: readonly StoredDid[]
  readonly txCode?: string | undefined
  readonly copies?: number | undefined
}

async function copyOf(deps: Pick<Deps, 'newId' | 'vault'>, { compact, key, kid }: Receipt): Promise<NewCopy> {
  const { vault } = deps
  const id = deps.newId()
  const place = { column: 'wallet_credential_copies.private_jwk', id } as const
  const privateJwk = key.privateJwk === null ? null : await vault.protect(place, JSON.stringify(key.privateJwk))
  const protectedCompact = await vault.protect({ column: 'wallet_credential_copies.compact', id }, compact)
  return { id, compact: protectedCompact, kid, keyId: key.keyId, privateJwk }
}

/** Stores what was taken: a credential with its copies. */
async function keep(
  deps: Deps,
  { holderId, actor }: TakeIntoWallet,
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

/**
 * Takes an offer into a hosted wallet.
 *
 * @throws 400 `Holder has no DIDs created. Cannot accept credential offer.`, before anything is asked of the issuer.
 */
export async function takeIntoWallet(deps: Deps, request: TakeIntoWallet): Promise<HeldCredential[]> {
  if (request.dids.length === 0) throw errors.holderWithoutDid()
  const keys = await holderKeys(deps, request.dids)
  const taken = await takeOffer(deps, {
    offer: request.offer,
    keys,
    txCode: request.txCode,
    copies: request.copies ?? 1,
  })
  const held: HeldCredential[] = []
  for (const credential of taken) held.push(await keep(deps, request, credential))
  return held
}
