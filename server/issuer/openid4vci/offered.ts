import type { Config } from '../../config/config.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Formats } from '../../formats/registry.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { configurationIdsOf, issuabilityByDefault, parseConfigurationId } from '../issuance/configurations.js'
import { assertHaipRequest, isHaip } from './haip.js'
import { type OfferedBy, offeredConfigurations } from './offer.js'
import type { OfferProfile } from './offer-profile.js'
import type { OfferedTypes, Parameters } from './profiles/profile.js'
import { profileNamed, publishedFormats } from './profiles/profiles.js'
import { type RequestedConfigurations, requestedConfigurations } from './requested-configurations.js'

/** What {@link createOffered} is made of. */
export interface OfferedPorts {
  readonly config: Pick<
    Config,
    'issuerBaseUrl' | 'issuerLegacyProfiles' | 'issuerProfile' | 'issuerX509' | 'sdJwtIssuer'
  >
  readonly formats: Formats
}

/** What an authorization request asks for. */
interface Asking {
  readonly scope: string | undefined
  readonly authorizationDetails: string | undefined
}

export type Offered = ReturnType<typeof createOffered>

/** Which configurations wallets may take here, and how wallets ask for them. */
export function createOffered({ config, formats }: OfferedPorts) {
  /** Ids of the configurations that a wallet may take from an offering. */
  const configurations = (offering: OfferedBy): readonly string[] =>
    offeredConfigurations({ config, formats }, offering)

  /** What some configurations can be named by. */
  const types =
    (configurationIds: readonly string[]): OfferedTypes =>
    () =>
      configurationIds.flatMap((id) => {
        const configuration = parseConfigurationId(formats, id)
        if (configuration === undefined) return []
        const { name, format } = configuration
        const members = format.issuing.typeMembers({ name, mdoc: null }, config)
        return [{ id, format: format.name, members }]
      })

  /**
   * What `scope` and `authorization_details` of a request ask for, in the words of 1.0.
   *
   * @param ids that may be asked for
   * @throws OAuthError `invalid_authorization_details`
   */
  const requested = (parameters: Parameters, ids: readonly string[]): RequestedConfigurations =>
    requestedConfigurations(parameters, ids, config)

  /** The same in the words of a profile. */
  const requestedIn = (profile: OfferProfile, sent: Parameters, ids: readonly string[]): RequestedConfigurations =>
    requested(profileNamed(profile).parameters(sent, types(ids)), ids)

  return {
    configurations,
    types,
    requested,
    requestedIn,

    /**
     * What an authorization request asks of an offering (§5.1.1, §5.1.2): scope and authorization_details, each for itself.
     *
     * @throws OAuthError `invalid_scope` or `invalid_authorization_details`
     */
    requestedOf({ scope, authorizationDetails }: Asking, offering: OfferedBy): RequestedConfigurations {
      if (isHaip({ config }, offering)) assertHaipRequest({ scope, authorizationDetails })
      const sent = { scope, authorization_details: authorizationDetails }
      const asked = requestedIn(offering.profile, sent, configurations(offering))
      if (asked.detailed.length === 0 && asked.scoped.length === 0)
        throw new OAuthError(
          'invalid_scope',
          'Neither scope nor authorization_details name a credential of this offer.',
        )
      return asked
    },

    /** The formats that have configurations here. */
    published: (): readonly IssuedFormat[] => publishedFormats({ config, formats }),

    /**
     * Ids of the configurations of a type that have metadata here, where the default issuer signs.
     *
     * @param asMdoc whether the type has mobile documents
     */
    publishedOf: (name: string, asMdoc: boolean): readonly string[] =>
      configurationIdsOf(publishedFormats({ config, formats }), name, issuabilityByDefault(config, asMdoc)),
  }
}
