import type { z } from 'zod'
import type { Deps } from '../deps.js'
import { documentOf } from '../dids/documents.js'
import { newIdentity } from '../dids/identity.js'
import type { StoredDid } from '../dids/store.js'
import type { zAgentDid } from './agent.contract.js'

type ShownDid = z.input<typeof zAgentDid>

export const listedDid = ({ did, method, createdAt }: StoredDid): Omit<ShownDid, 'document'> => ({
  did,
  method,
  createdAt: createdAt.toISOString(),
})

export const shownDid = (deps: Pick<Deps, 'config'>, stored: StoredDid): ShownDid => ({
  ...listedDid(stored),
  document: { ...documentOf(stored, deps.config) },
})

/** A did:web with a port is written with `%3A`; a path that was decoded once shows it as `:`. */
export const didSpellings = (did: string): string[] => [did, did.replace(/^(did:web:[^:]+):(\d+)(?=:|$)/, '$1%3A$2')]

/** Makes a DID with a key of its own, for the caller's own use. */
export async function createAgentDid(deps: Deps, method: 'key' | 'web', sub: string): Promise<StoredDid> {
  const { dids } = deps.stores
  const identity = await newIdentity(deps.vault, deps.newId, {
    method,
    purpose: 'agent',
    createdBy: sub,
    baseUrl: deps.config.issuerBaseUrl,
  })
  await dids.insert(identity.keySetId, identity.key, identity.dids, [
    { actor: sub, action: 'did.created', subject: 'did', subjectId: identity.did },
    { actor: sub, action: 'key.created', subject: 'key', subjectId: identity.key.id },
  ])
  const stored = await dids.find(identity.did)
  if (stored === undefined) throw new Error('A DID was not stored.')
  return stored
}
