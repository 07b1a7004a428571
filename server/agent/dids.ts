import type { z } from 'zod'
import type { Config } from '../config/config.js'
import type { Lists } from '../database/replica/lists.js'
import { documentOf } from '../dids/documents.js'
import type { Identify } from '../dids/identity.js'
import type { DidStore, StoredDid } from '../dids/store.js'
import type { zAgentDid } from './agent.contract.js'

type ShownDid = z.input<typeof zAgentDid>

export const listedDid = ({ did, method, createdAt }: StoredDid): Omit<ShownDid, 'document'> => ({
  did,
  method,
  createdAt: createdAt.toISOString(),
})

/** A did:web with a port is written with `%3A`; a path that was decoded once shows it as `:`. */
export const didSpellings = (did: string): string[] => [did, did.replace(/^(did:web:[^:]+):(\d+)(?=:|$)/, '$1%3A$2')]

/** What {@link createAgentDids} is made of. */
export interface AgentDidsPorts {
  readonly store: Pick<DidStore, 'find' | 'findAny' | 'insert'>
  readonly lists: Lists<Pick<DidStore, 'createdBy'>>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  /** Makes a key pair and its DIDs. */
  readonly identify: Identify
}

export type AgentDids = ReturnType<typeof createAgentDids>

/** DIDs that admins make for their own use. */
export function createAgentDids({ store, lists, config, identify }: AgentDidsPorts) {
  const shown = (stored: StoredDid): ShownDid => ({
    ...listedDid(stored),
    document: { ...documentOf(stored, config) },
  })

  return {
    lists,

    /** Makes a DID with a key of its own. */
    async create(method: 'key' | 'web', sub: string): Promise<ShownDid> {
      const identity = await identify({ method, purpose: 'agent', createdBy: sub, baseUrl: config.issuerBaseUrl })
      await store.insert(identity.keySetId, identity.key, identity.dids, [
        { actor: sub, action: 'did.created', subject: 'did', subjectId: identity.did },
        { actor: sub, action: 'key.created', subject: 'key', subjectId: identity.key.id },
      ])
      const stored = await store.find(identity.did)
      if (stored === undefined) throw new Error('A DID was not stored.')
      return shown(stored)
    },

    /** A DID of this installation, whoever made it; null for another DID. */
    async read(did: string): Promise<ShownDid | null> {
      const found = await store.findAny(didSpellings(did))
      return found === undefined ? null : shown(found)
    },
  }
}
