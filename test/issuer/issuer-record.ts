import { randomUUID } from 'node:crypto'
import type { AgentRecord } from '../../server/agent/store.js'
import { type DidMethod, newIdentity, type SigningAlgorithm } from '../../server/dids/identity.js'
import type { TestService } from '../support/service.js'

/** Makes one more issuer record, like `POST /agent/issuer`. */
export async function newIssuer(
  { platform }: TestService,
  createdBy: string,
  options: { readonly method?: DidMethod; readonly alg?: SigningAlgorithm } = {},
): Promise<AgentRecord> {
  const { method = 'key', alg = 'ES256' } = options
  const baseUrl = platform.config.issuerBaseUrl
  const identity = await newIdentity(
    { ...platform, providers: platform.keyProviders },
    {
      method,
      purpose: 'issuer',
      createdBy,
      baseUrl,
      alg,
    },
  )
  return platform.stores.agents.insertIssuer(
    { id: randomUUID(), method, display: [], imageIds: [], isDefault: false, createdBy },
    identity,
    [],
  )
}
