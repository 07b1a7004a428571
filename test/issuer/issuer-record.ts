import { randomUUID } from 'node:crypto'
import type { AgentRecord } from '../../server/agent/store.js'
import { type DidMethod, newIdentity, type SigningAlgorithm } from '../../server/dids/identity.js'
import type { TestService } from '../support/service.js'

/** A further issuer record, as `POST /agent/issuer` makes one. */
export async function newIssuer(
  { deps }: TestService,
  createdBy: string,
  options: { readonly method?: DidMethod; readonly alg?: SigningAlgorithm } = {},
): Promise<AgentRecord> {
  const { method = 'key', alg = 'ES256' } = options
  const baseUrl = deps.config.issuerBaseUrl
  const identity = await newIdentity(deps.vault, deps.newId, { method, purpose: 'issuer', createdBy, baseUrl, alg })
  return deps.stores.agents.insertIssuer(
    { id: randomUUID(), method, display: [], isDefault: false, createdBy },
    identity,
    [],
  )
}
