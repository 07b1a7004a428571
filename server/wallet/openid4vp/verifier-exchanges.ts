import type { Config } from '../../config/config.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { Formats } from '../../formats/registry.js'
import type { Log } from '../../log/log.js'
import type { WalletCredentials } from '../credentials/credentials.js'
import { admitHttp } from '../exchange/libraries.js'
import type { VerifierRegistration } from '../registration/verifier-registration.js'
import { createAuthenticateVerifier } from './authenticate-verifier.js'
import { createFetchRequestObject } from './fetch-request-object.js'
import { createMatchRequest } from './match-request.js'
import { createPresent } from './present.js'
import { receiveRequest } from './receive-request.js'
import { createResolveRequest } from './resolve-request.js'
import { createTellVerifier } from './tell-verifier.js'

/** Dependencies of {@link createVerifierExchanges}. */
export interface VerifierExchangesPorts {
  readonly config: Pick<
    Config,
    | 'allowInsecureHttp'
    | 'issuerBaseUrl'
    | 'trustAnchors'
    | 'verifierAttestationIssuers'
    | 'verifierTrustAnchors'
    | 'walletRegistration'
  >
  readonly formats: Formats
  readonly registrationOf: VerifierRegistration
  readonly resolver: Pick<DidResolver, 'resolve'>
  readonly signerOf: WalletCredentials['signerOf']
  readonly random: (length: number) => Uint8Array
  readonly newId: () => string
  readonly clock: () => Date
  readonly log: Pick<Log, 'info'>
}

export type VerifierExchanges = ReturnType<typeof createVerifierExchanges>

/** How hosted wallets handle the requests of verifiers (OpenID4VP 1.0). */
export function createVerifierExchanges({
  config,
  formats,
  registrationOf,
  resolver,
  signerOf,
  random,
  newId,
  clock,
  log,
}: VerifierExchangesPorts) {
  admitHttp(config)
  const fetchRequestObject = createFetchRequestObject({ config, formats, random })
  const tell = createTellVerifier({ random, log })
  return {
    tell,
    resolve: createResolveRequest({
      receive: (fetch, address) => receiveRequest(fetchRequestObject, fetch, address),
      authenticate: createAuthenticateVerifier({ config, resolver, clock }),
      tell,
      registrationOf,
      config,
      formats,
    }),
    match: createMatchRequest({ formats, config, signerOf, tell, clock }),
    present: createPresent({ formats, signerOf, random, newId, clock }),
  }
}
