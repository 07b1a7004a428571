import type { z } from 'zod'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import { newIdentity } from '../../dids/identity.js'
import { shownDid, shownHolder } from './holder-json.js'
import type { createHolder, createHolderDid } from './holders.contract.js'

type Method = z.output<typeof createHolder.input>['method']

/** A DID of a holder, with a key of its own; nothing is stored yet. */
const holderIdentity = (deps: Deps, caller: Caller, holderId: string, method: Method) =>
  newIdentity(deps.vault, deps.newId, {
    method,
    purpose: 'holder',
    createdBy: caller.sub,
    holderId,
    baseUrl: deps.config.issuerBaseUrl,
  })

/** Makes a holder of its caller, with a DID and a key. */
export async function addHolder(deps: Deps, caller: Caller, method: Method) {
  const id = deps.newId()
  const identity = await holderIdentity(deps, caller, id, method)
  const holder = await deps.stores.holders.insert(id, method, caller.sub, identity, [
    { actor: caller.sub, action: 'holder.created', subject: 'holder', subjectId: id },
    { actor: caller.sub, action: 'key.created', subject: 'key', subjectId: identity.key.id },
  ])
  return shownHolder(holder)
}

/** Makes a further DID of a holder, with a key of its own. */
export async function addHolderDid(
  deps: Deps,
  caller: Caller,
  { holderId, method }: z.output<typeof createHolderDid.input>,
) {
  const { dids } = deps.stores
  const identity = await holderIdentity(deps, caller, holderId, method)
  await dids.insert(identity.keySetId, identity.key, identity.dids, [
    { actor: caller.sub, action: 'did.created', subject: 'did', subjectId: identity.did },
    { actor: caller.sub, action: 'key.created', subject: 'key', subjectId: identity.key.id },
  ])
  const stored = await dids.find(identity.did)
  if (stored === undefined) throw new Error('A DID was not stored.')
  return shownDid(stored)
}
