import type { Config } from '../../config/config.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Formats } from '../../formats/registry.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { configurationIdsOf, issuabilityOfRow, parseConfigurationId } from '../issuance/configurations.js'
import { assertHaipRequest, isHaip } from './haip.js'
import { type OfferedBy, offeredConfigurations } from './offer.js'
import type { OfferProfile } from './offer-profile.js'
import type { OfferedTypes, Parameters } from './profiles/profile.js'
import { profileNamed, publishedFormats } from './profiles/profiles.js'
import { type RequestedConfigurations, requestedConfigurations } from './requested-configurations.js'

/** Dependencies of {@link createOffered}. */
export interface OfferedPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerLegacyProfiles' | 'issuerProfile' | 'sdJwtIssuer'>
  readonly formats: Formats
}

/** The members of an authorization request that name credentials. */
interface Asking {
  readonly scope: string | undefined
  readonly authorizationDetails: string | undefined
}

export type Offered = ReturnType<typeof createOffered>

/** Determines the configurations that wallets may take, and reads the requests for them. */
export function createOffered({ config, formats }: OfferedPorts) {
  /** Ids of the configurations that a wallet may take from an offering. */
  const configurations = (offering: OfferedBy): readonly string[] =>
    offeredConfigurations({ config, formats }, offering)

  /** The names by which wallets may request the configurations. */
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
   * The configurations that `scope` and `authorization_details` of a 1.0 request name.
   *
   * @param ids the ids that may be requested
   * @throws OAuthError `invalid_authorization_details`
   */
  const requested = (parameters: Parameters, ids: readonly string[]): RequestedConfigurations =>
    requestedConfigurations(parameters, ids, config)

  /** The configurations that a request of a profile names. */
  const requestedIn = (profile: OfferProfile, sent: Parameters, ids: readonly string[]): RequestedConfigurations =>
    requested(profileNamed(profile).parameters(sent, types(ids)), ids)

  return {
    configurations,
    types,
    requested,
    requestedIn,

    /**
     * The configurations of an offering that an authorization request names (§5.1.1, §5.1.2). `scope` and
     * `authorization_details` are read separately.
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

    /** The formats that have configurations in the metadata. */
    published: (): readonly IssuedFormat[] => publishedFormats({ config, formats }),

    /**
     * Ids of a type's configurations that the metadata lists.
     *
     * @param asMdoc whether the type has mobile documents and an issuer with a certificate can sign them
     */
    publishedOf: (name: string, asMdoc: boolean): readonly string[] =>
      configurationIdsOf(publishedFormats({ config, formats }), name, issuabilityOfRow(asMdoc)),
  }
}
