import {
  Agent,
  ConsoleLogger,
  DidsModule,
  InjectionSymbols,
  JwkDidRegistrar,
  JwkDidResolver,
  Kms,
  LogLevel,
  RecordDuplicateError,
  RecordNotFoundError,
} from '@credo-ts/core'
import { agentDependencies, NodeInMemoryKeyManagementStorage, NodeKeyManagementService } from '@credo-ts/node'
import { OpenId4VcModule } from '@credo-ts/openid4vc'
import { MemoryStorage } from './memory-storage.mjs'

/**
 * Starts an agent that does no unnecessary work: its keys and records are in memory, it has no log, and it knows one
 * DID method.
 *
 * @param openid4vc the options of the agent's OpenID4VC module
 * @returns the agent, and the DID URL of its own P-256 key
 */
export async function startAgent(openid4vc) {
  const agent = new Agent({
    config: { allowInsecureHttpUrls: true, autoUpdateStorageOnStartup: true, logger: new ConsoleLogger(LogLevel.off) },
    dependencies: agentDependencies,
    modules: {
      dids: new DidsModule({ resolvers: [new JwkDidResolver()], registrars: [new JwkDidRegistrar()] }),
      keys: new Kms.KeyManagementModule({
        backends: [new NodeKeyManagementService(new NodeInMemoryKeyManagementStorage())],
      }),
      openid4vc: new OpenId4VcModule(openid4vc),
      storage: {
        register: (dependencies) =>
          dependencies.registerInstance(
            InjectionSymbols.StorageService,
            new MemoryStorage({ RecordDuplicateError, RecordNotFoundError }),
          ),
      },
    },
  })
  await agent.initialize()
  const { keyId } = await agent.kms.createKey({ type: { kty: 'EC', crv: 'P-256' } })
  const { didState } = await agent.dids.create({ method: 'jwk', options: { keyId } })
  if (didState.state !== 'finished') throw new Error(`Credo made no DID: ${JSON.stringify(didState)}`)
  return { agent, didUrl: `${didState.did}#0` }
}
