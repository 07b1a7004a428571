import type { z } from 'zod'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import { DEFAULT_LOCALE } from '../../pages/languages.js'
import { withParameters } from '../../protocol/oauth/redirect-uri.js'
import { configurationIdsOf, issuabilityByDefault } from '../issuance/configurations.js'
import { isHaip, offeredFormats } from '../openid4vci/haip.js'
import type { OfferProfile } from '../openid4vci/offer-profile.js'
import type { Seals } from '../openid4vci/sealed.js'
import { schemaUri } from '../schemas/schema-uri.js'
import type { zOfferingDetail, zOfferingListed } from './offerings.contract.js'
import type { OfferingRow, RedemptionRow } from './store.js'

type Detail = z.input<typeof zOfferingDetail>
type Listed = z.input<typeof zOfferingListed>
type Offering = Omit<Listed, 'redemptions'>

/** Schemes that wallets know (OpenID4VCI 1.0 §4.1, HAIP 1.0 §4.2). */
const WALLET_URLS = { final: 'openid-credential-offer://', haip: 'haip-vci://' }

/** Where a wallet fetches the credential offer (OpenID4VCI 1.0 §4.1.3). */
export const credentialOfferUri = (issuerBaseUrl: string, offeringId: string): string =>
  `${issuerBaseUrl}/openid4vci/offers/${offeringId}`

interface OfferAddress {
  readonly id: string
  readonly profile?: OfferProfile
  /** What the address begins with: a scheme, or the https address of a wallet. */
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
  readonly config: Pick<Config, 'issuerBaseUrl' | 'issuerProfile' | 'issuerX509'>
  readonly formats: Pick<Formats, 'issued'>
  readonly seals: Pick<Seals, 'issuerState'>
}

export type OfferingView = ReturnType<typeof createOfferingView>

/** Offerings as the API shows them: without the subject where an offering is bound to a recipient and the caller is somebody else. */
export function createOfferingView({ config, formats, seals }: OfferingViewPorts) {
  const listed = (row: OfferingRow, showSubject: boolean): Offering => ({
    id: row.id,
    credential_issuer: config.issuerBaseUrl,
    credential_configuration_ids: configurationIdsOf(
      offeredFormats({ config, formats }),
      row.schemaName,
      issuabilityByDefault(config, row.asMdoc),
    ),
    display: displayOf(row),
    grants: { authorization_code: { issuer_state: seals.issuerState(row.id) } },
    ...(showSubject ? { credential_subject: row.credentialSubject } : {}),
    ...(row.recipient === null ? {} : { recipient: row.recipient }),
    redemption_limit: row.redemptionLimit,
    expires_at: row.expiresAt?.toISOString() ?? null,
  })

  const detail = (row: OfferingRow, showSubject: boolean): Detail => ({
    ...listed(row, showSubject),
    qr_code_url: `${config.issuerBaseUrl}/api/v1/offerings/${row.id}/qr-code`,
    offering_id: row.id,
    offering_full_url: offeringFullUrl(config, row),
  })

  return {
    /** As lists show an offering, without its redemptions. */
    listed,
    /** As an offering is shown by itself. */
    detail,
    /** The configurations of redeemed credentials, by the ids of their schemas: one object for all credentials of a schema. */
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

/** A redemption with its offering, which then lists no redemptions itself, and its credential record. */
export function redemptionView(row: RedemptionRow, offering: Offering, configuration: Configuration): Redemption {
  return {
    id: row.id,
    offering_id: row.offeringId,
    credential_id: row.credentialId,
    // A caller without a DID may claim too; the interface has a string here.
    recipient_did: row.recipientDid ?? '',
    redeemed_at: row.redeemedAt.toISOString(),
    offering,
    credential: {
      id: row.credentialId,
      configuration_id: row.configurationId,
      configuration,
      vc: row.vc,
      revoked: row.revoked,
    },
  }
}
