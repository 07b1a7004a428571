import type { z } from 'zod'
import type { Config } from '../config/config.js'
import type { Lists } from '../database/replica/lists.js'
import type { Dids } from '../dids/dids.js'
import { documentOf } from '../dids/documents.js'
import type { DidStore, StoredDid } from '../dids/store.js'
import type { zAgentDid } from './agent.contract.js'

type ShownDid = z.input<typeof zAgentDid>

export const listedDid = ({ did, method, createdAt }: StoredDid): Omit<ShownDid, 'document'> => ({
  did,
  method,
  createdAt: createdAt.toISOString(),
})

/**
 * Returns the possible spellings of a DID. A did:web writes the colon before its port as `%3A`, but in a decoded path
 * it is `:`.
 */
export const didSpellings = (did: string): string[] => [did, did.replace(/^(did:web:[^:]+):(\d+)(?=:|$)/, '$1%3A$2')]

/** Dependencies of {@link createAgentDids}. */
export interface AgentDidsPorts {
  readonly store: Pick<DidStore, 'findAny'>
  readonly lists: Lists<Pick<DidStore, 'createdBy'>>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  readonly create: Dids['create']
}

export type AgentDids = ReturnType<typeof createAgentDids>

/** DIDs that admins create for their own use. */
export function createAgentDids({ store, lists, config, create }: AgentDidsPorts) {
  const shown = (stored: StoredDid): ShownDid => ({
    ...listedDid(stored),
    document: { ...documentOf(stored, config) },
  })

  return {
    lists,

    /** Creates a DID with a new key. */
    create: async (method: 'key' | 'web', sub: string): Promise<ShownDid> =>
      shown(await create({ method, purpose: 'agent', createdBy: sub })),

    /** Returns a DID of this installation, whoever created it. Null for any other DID. */
    async read(did: string): Promise<ShownDid | null> {
      const found = await store.findAny(didSpellings(did))
      return found === undefined ? null : shown(found)
    },
  }
}
