import type { z } from 'zod'
import type { Deps } from '../deps.js'
import { newIdentity } from '../dids/identity.js'
import type { zAgentRecord } from './agent.contract.js'
import type { AgentRecord, DisplayEntry } from './store.js'

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

/** Makes an issuer or verifier record of a caller's, with a key pair and a DID that nothing else uses. */
export async function createRecord(
  deps: Deps,
  kind: 'issuer' | 'verifier',
  request: RecordRequest,
  sub: string,
): Promise<AgentRecord> {
  const { config, stores } = deps
  const identity = await newIdentity(deps.vault, deps.newId, {
    method: request.method,
    purpose: kind,
    createdBy: sub,
    baseUrl: kind === 'issuer' ? config.issuerBaseUrl : config.verifierBaseUrl,
  })
  const record = {
    id: deps.newId(),
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
    ? stores.agents.insertIssuer(record, identity, audit)
    : stores.agents.insertVerifier(record, identity, audit)
}
