import type { z } from 'zod'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import type { Lists } from '../database/replica/lists.js'
import type { Identify } from '../dids/identity.js'
import type { zAgentRecord } from './agent.contract.js'
import type { AgentRecord, AgentStore, DisplayEntry } from './store.js'

export interface RecordRequest {
  readonly method: 'key' | 'web'
  readonly display?: readonly DisplayEntry[] | undefined
}

/** The record as the API shows it. */
export const shownRecord = (record: AgentRecord): z.input<typeof zAgentRecord> => ({
  id: record.id,
  did: record.did,
  method: record.method as 'key' | 'web',
  display: record.display.map((entry) => ({ ...entry })),
  isDefault: record.isDefault,
  createdAt: record.createdAt.toISOString(),
})

/** Dependencies of {@link createRecords}. */
export interface RecordsPorts {
  readonly store: Pick<AgentStore, 'insertIssuer' | 'insertVerifier' | 'issuer' | 'verifier'>
  readonly lists: Lists<Pick<AgentStore, 'issuers' | 'verifiers'>>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  readonly newId: () => string
  /** Makes a key pair and its DIDs. */
  readonly identify: Identify
}

export type Records = ReturnType<typeof createRecords>

/** The issuer and verifier records of this installation, each with its own signing key. */
export function createRecords({ store, lists, config, newId, identify }: RecordsPorts) {
  return {
    lists,

    /** Creates a record with a new key pair and a new DID. */
    async create(kind: 'issuer' | 'verifier', request: RecordRequest, sub: string): Promise<AgentRecord> {
      const identity = await identify({
        method: request.method,
        purpose: kind,
        createdBy: sub,
        baseUrl: kind === 'issuer' ? config.issuerBaseUrl : config.verifierBaseUrl,
      })
      const record = {
        id: newId(),
        method: request.method,
        display: request.display ?? [],
        isDefault: false,
        createdBy: sub,
      }
      const audit = [
        { actor: sub, action: `${kind}.created`, subject: kind, subjectId: record.id },
        { actor: sub, action: 'key.created', subject: 'key', subjectId: identity.key.id },
      ] as const
      return kind === 'issuer'
        ? store.insertIssuer(record, identity, audit)
        : store.insertVerifier(record, identity, audit)
    },

    /** @throws 500 for an unknown record and for a record of another caller. */
    async issuer(id: string, sub: string): Promise<AgentRecord> {
      const record = await store.issuer(id, sub)
      if (record === undefined) throw errors.issuerNotFound()
      return record
    },

    /** @throws 500 for an unknown record and for a record of another caller. */
    async verifier(id: string, sub: string): Promise<AgentRecord> {
      const record = await store.verifier(id, sub)
      if (record === undefined) throw errors.verifierNotFound()
      return record
    },
  }
}
