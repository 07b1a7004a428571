import type { Config } from '../../../config/config.js'
import type { IssuedFormat } from '../../../formats/format.js'
import type { Formats } from '../../../formats/registry.js'
import type { Draft } from '../../../protocol/openid4vci/drafts.js'
import { isHaip, offeredFormats } from '../haip.js'
import type { OfferProfile } from '../offer-profile.js'
import { draft11 } from './draft11.js'
import { draft13 } from './draft13.js'
import { draft15 } from './draft15.js'
import { final } from './final.js'
import type { Profile } from './profile.js'

const DRAFTS: Readonly<Record<Draft, Profile>> = { draft15, draft13, draft11 }

/** Whether a profile is a draft. New offers may use a draft only if the configuration allows it. */
export const isDraft = (profile: OfferProfile): profile is Draft => Object.hasOwn(DRAFTS, profile)

/** Returns the conversions of a profile. An offer uses the same conversions for its whole lifetime. */
export const profileNamed = (profile: OfferProfile): Profile => (isDraft(profile) ? DRAFTS[profile] : final)

/** Whether a draft uses the former names of formats. Drafts up to 14 do. */
export const hasFormerFormats = (draft: Draft): boolean => draft !== 'draft15'

/** The formats of an installation, and the drafts that its configuration allows. */
interface IssuingFormats {
  readonly config: Pick<Config, 'issuerLegacyProfiles' | 'issuerProfile'>
  readonly formats: Pick<Formats, 'issued' | 'former'>
}

const withFormer = (offered: readonly IssuedFormat[], { former }: Pick<Formats, 'former'>) => [
  ...new Set([...offered, ...former]),
]

const ofDrafts = (formats: readonly IssuedFormat[]) => formats.filter(({ issuing }) => issuing.drafts)

/** The formats that an offer of a profile may name. Former formats are for wallets that know no others. */
export const offerableFormats = (issuing: IssuingFormats, profile: OfferProfile) =>
  isDraft(profile) ? ofDrafts(publishedFormats(issuing)) : issuing.formats.issued

/**
 * The formats that wallets take from an offer. Former formats are included if the offer was made while its draft was
 * allowed.
 */
export const takeableFormats = (
  { config, formats }: IssuingFormats,
  offer: { readonly profile: OfferProfile },
): readonly IssuedFormat[] =>
  isDraft(offer.profile) && !isHaip({ config })
    ? ofDrafts(withFormer(formats.issued, formats))
    : offeredFormats({ config, formats }, offer)

/**
 * The formats that have configurations in the metadata. Former formats are included if an allowed draft knows these
 * formats.
 */
export function publishedFormats({ config, formats }: IssuingFormats): readonly IssuedFormat[] {
  const offered = offeredFormats({ config, formats })
  return config.issuerLegacyProfiles.some(hasFormerFormats) ? withFormer(offered, formats) : offered
}
