import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import { isHeld } from '../credentials/held.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { DescribedMetadata } from './issuer-metadata.js'
import { namesNoBinding } from './proof-keys.js'
import type { Expectation } from './verify-received.js'

/** Limit on the configurations of an offer; real offers name a few. */
const MAX_CONFIGURATIONS = 20

/** Decides which formats a hosted wallet can hold. */
export interface HeldFormats {
  readonly config: Pick<Config, 'trustAnchors'>
  readonly formats: Pick<Formats, 'known'>
}

/** The metadata of one offered configuration (OpenID4VCI 1.0 Appendix A). */
function expectationOf(
  { config, formats }: HeldFormats,
  { credentialIssuer, knownCredentialConfigurations, descriptions }: DescribedMetadata,
  configurationId: string,
): Expectation | undefined {
  const configuration = credentialIssuer.credential_configurations_supported[configurationId]
  const format = formats.known(configuration?.format)
  if (configuration === undefined || format === undefined || !isHeld(config, format)) return undefined
  // The library leaves out malformed configurations of the formats that it knows.
  const { library, typesOf } = format.holding
  if (library.checksConfigurations && knownCredentialConfigurations[configurationId] === undefined) return undefined
  const types = typesOf(configuration)
  if (types.length === 0) return undefined
  return {
    format,
    types,
    configurationId,
    credentialIssuer: credentialIssuer.credential_issuer,
    mayBeUnbound: namesNoBinding(configuration, format),
    description: descriptions?.get(configurationId),
  }
}

/**
 * The offered configurations that a hosted wallet can hold.
 *
 * @throws WalletError if there are none.
 */
export function offeredConfigurations(
  holding: HeldFormats,
  offer: CredentialOfferObject,
  metadata: DescribedMetadata,
): Expectation[] {
  const ids = [...new Set(offer.credential_configuration_ids)].slice(0, MAX_CONFIGURATIONS)
  const expected = ids.flatMap((id) => expectationOf(holding, metadata, id) ?? [])
  if (expected.length === 0) throw new WalletError('The offer holds no credential of a format that this wallet knows.')
  return expected
}
