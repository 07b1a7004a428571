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

/** Whether a profile is that of a draft, which must be opened for new offers. */
export const isDraft = (profile: OfferProfile): profile is Draft => Object.hasOwn(DRAFTS, profile)

/** How wallets are spoken with that have an offer of a profile, for as long as they take from it. */
export const profileNamed = (profile: OfferProfile): Profile => (isDraft(profile) ? DRAFTS[profile] : final)

/** Drafts in which formats had their former names: until draft 14. */
export const hasFormerFormats = (draft: Draft): boolean => draft !== 'draft15'

/** What an installation can issue in, and which drafts are open there. */
interface IssuingFormats {
  readonly config: Pick<Config, 'issuerLegacyProfiles' | 'issuerProfile'>
  readonly formats: Pick<Formats, 'issued' | 'former'>
}

const withFormer = (offered: readonly IssuedFormat[], { former }: Pick<Formats, 'former'>) => [
  ...new Set([...offered, ...former]),
]

const ofDrafts = (formats: readonly IssuedFormat[]) => formats.filter(({ issuing }) => issuing.drafts)

/** The formats that an offer of a profile may name: former ones are for wallets that know no other. */
export const offerableFormats = (issuing: IssuingFormats, profile: OfferProfile) =>
  isDraft(profile) ? ofDrafts(publishedFormats(issuing)) : issuing.formats.issued

/** The formats that wallets take from an offer: former ones too from one that was made when its draft was open. */
export const takeableFormats = (
  { config, formats }: IssuingFormats,
  offer: { readonly profile: OfferProfile },
): readonly IssuedFormat[] =>
  isDraft(offer.profile) && !isHaip({ config })
    ? ofDrafts(withFormer(formats.issued, formats))
    : offeredFormats({ config, formats }, offer)

/** The formats that have configurations here: former ones too where a draft is open that knows them. */
export function publishedFormats({ config, formats }: IssuingFormats): readonly IssuedFormat[] {
  const offered = offeredFormats({ config, formats })
  return config.issuerLegacyProfiles.some(hasFormerFormats) ? withFormer(offered, formats) : offered
}
