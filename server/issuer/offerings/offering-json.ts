import type { z } from 'zod'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import { namesView } from '../../names/names.js'
import { DEFAULT_LOCALE } from '../../pages/languages.js'
import { withParameters } from '../../protocol/oauth/redirect-uri.js'
import { configurationIdsOf, issuabilityOfRow } from '../issuance/configurations.js'
import { shownObject } from '../issuance/vc-object.js'
import { isHaip, offeredFormats } from '../openid4vci/haip.js'
import type { OfferProfile } from '../openid4vci/offer-profile.js'
import type { Seals } from '../openid4vci/sealed.js'
import { schemaUri } from '../schemas/schema-uri.js'
import type { zOfferingDetail, zOfferingListed } from './offerings.contract.js'
import type { OfferingRow, RedemptionRow } from './store.js'

type Detail = z.input<typeof zOfferingDetail>
type Listed = z.input<typeof zOfferingListed>
type Offering = Omit<Listed, 'redemptions'>

/** The URL schemes of wallets (OpenID4VCI 1.0 §4.1, HAIP 1.0 §4.2). */
const WALLET_URLS = { final: 'openid-credential-offer://', haip: 'haip-vci://' }

/**
 * The URL from which a wallet fetches the credential offer (OpenID4VCI 1.0 §4.1.3).
 *
 * @param name `offerName` of the offer; the id of an offering
 */
export const credentialOfferUri = (issuerBaseUrl: string, name: string): string =>
  `${issuerBaseUrl}/openid4vci/offers/${name}`

interface OfferAddress {
  /** `offerName` of a credential offer, or the id of an offering. */
  readonly id: string
  readonly profile?: OfferProfile
  /** The beginning of the URI: a scheme, or the https URL of a wallet. */
  readonly walletUrl?: string | undefined
}

/** The content of an offering's QR code, which opens a wallet. */
export const offeringFullUrl = (
  config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile'>,
  { id, profile, walletUrl }: OfferAddress,
): string => {
  const start = walletUrl ?? WALLET_URLS[isHaip({ config }, { profile: profile ?? 'final' }) ? 'haip' : 'final']
  return withParameters(start, { credential_offer_uri: credentialOfferUri(config.issuerBaseUrl, id) })
}

function displayOf(row: OfferingRow): { locale: string; name: string } {
  const [first] = row.schemaDisplay ?? []
  return { locale: first?.locale ?? DEFAULT_LOCALE, name: first?.name ?? row.schemaTitle ?? row.schemaName }
}

/** Dependencies of {@link createOfferingView}. */
export interface OfferingViewPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile'>
  readonly formats: Pick<Formats, 'issued'>
  readonly seals: Pick<Seals, 'issuerState'>
}

export type OfferingView = ReturnType<typeof createOfferingView>

/** The members of an offering that not every reader sees. */
export interface Visible {
  readonly subject: boolean
  readonly names: boolean
}

/** Offerings as the API shows them. If an offering is bound to a recipient, other callers do not see its subject. */
export function createOfferingView({ config, formats, seals }: OfferingViewPorts) {
  const listed = (row: OfferingRow, visible: Visible): Offering => ({
    id: row.id,
    ...(visible.names ? namesView(row.names) : {}),
    credential_issuer: config.issuerBaseUrl,
    credential_configuration_ids: configurationIdsOf(
      offeredFormats({ config, formats }),
      row.schemaName,
      issuabilityOfRow(row.asMdoc),
    ),
    display: displayOf(row),
    grants: { authorization_code: { issuer_state: seals.issuerState({ offeringId: row.id, linkNumber: 0 }) } },
    ...(visible.subject && row.claimsErasedAt === null ? { credential_subject: row.credentialSubject } : {}),
    ...(row.claimsErasedAt === null ? {} : { claimsErasedAt: row.claimsErasedAt.toISOString() }),
    ...(row.recipient === null ? {} : { recipient: row.recipient }),
    redemption_limit: row.redemptionLimit,
    expires_at: row.expiresAt?.toISOString() ?? null,
  })

  const detail = (row: OfferingRow, visible: Visible): Detail => ({
    ...listed(row, visible),
    qr_code_url: `${config.issuerBaseUrl}/api/v1/offerings/${row.id}/qr-code`,
    offering_id: row.id,
    offering_full_url: offeringFullUrl(config, row),
  })

  return {
    /** An offering as lists show it, without its redemptions. */
    listed,
    /** A single offering with all its members. */
    detail,
    /** A redemption with its credential record and its offering. The offering lists no redemptions here. */
    redemption: (row: RedemptionRow, offering: Offering, configuration: Configuration) =>
      redemptionView(config, row, offering, configuration),
    /** The configurations of redeemed credentials, by schema id. All credentials of a schema share one object. */
    configurations: (redemptions: readonly RedemptionRow[]) => configurationsOf(config, redemptions),
  }
}

type Redemption = NonNullable<Listed['redemptions']>[number]
type Configuration = Redemption['credential']['configuration']

function configurationsOf(
  config: Pick<Config, 'issuerBaseUrl'>,
  redemptions: readonly RedemptionRow[],
): ReadonlyMap<string, Configuration> {
  const configurations = new Map<string, Configuration>()
  for (const { schemaId: id, schemaName, schemaTitle, schemaVersion: version, schemaBody } of redemptions) {
    if (schemaBody === null) continue
    const name = schemaTitle ?? schemaName
    configurations.set(id, { id, name, type: schemaName, version, schemaUri: schemaUri(config, id), schemaBody })
  }
  return configurations
}

function redemptionView(
  config: Pick<Config, 'issuerBaseUrl'>,
  row: RedemptionRow,
  offering: Offering,
  configuration: Configuration,
): Redemption {
  return {
    id: row.id,
    offering_id: row.offeringId,
    credential_id: row.credentialId,
    // A caller without a DID may claim too. The interface requires a string.
    recipient_did: row.recipientDid ?? '',
    redeemed_at: row.redeemedAt.toISOString(),
    offering,
    credential: {
      id: row.credentialId,
      configuration_id: row.configurationId,
      configuration,
      ...shownObject(config, { ...row, id: row.credentialId }),
      revoked: row.revoked,
    },
  }
}
