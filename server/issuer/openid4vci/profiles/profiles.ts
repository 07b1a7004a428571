import type { Deps } from '../../../deps.js'
import type { IssuedFormat } from '../../../formats/format.js'
import type { Draft } from '../../../protocol/openid4vci/drafts.js'
import { isHaip, offeredFormats } from '../haip.js'
import type { OfferProfile } from '../offer-profile.js'
import type { Dialect } from './dialect.js'
import { draft11 } from './draft11.js'
import { draft13 } from './draft13.js'
import { draft15 } from './draft15.js'
import { final } from './final.js'

const DIALECTS: Readonly<Record<Draft, Dialect>> = { draft15, draft13, draft11 }

/** Whether a profile is that of a draft, which must be opened for new offers. */
export const isDraft = (profile: OfferProfile): profile is Draft => Object.hasOwn(DIALECTS, profile)

/** How wallets are spoken with that have an offer of a profile, for as long as they take from it. */
export const dialectOf = (profile: OfferProfile): Dialect => (isDraft(profile) ? DIALECTS[profile] : final)

/** Drafts in which formats had their former names: until draft 14. */
export const hasFormerFormats = (draft: Draft): boolean => draft !== 'draft15'

const withFormer = (formats: readonly IssuedFormat[], { formats: { former } }: Pick<Deps, 'formats'>) => [
  ...new Set([...formats, ...former]),
]

const ofDrafts = (formats: readonly IssuedFormat[]) => formats.filter(({ issuing }) => issuing.drafts)

/** The formats that an offer of a profile may name: former ones are for wallets that know no other. */
export const offerableFormats = (deps: Pick<Deps, 'config' | 'formats'>, profile: OfferProfile) =>
  isDraft(profile) ? ofDrafts(publishedFormats(deps)) : deps.formats.issued

/** The formats that wallets take from an offer: former ones too from one that was made when its draft was open. */
export const takeableFormats = (
  deps: Pick<Deps, 'config' | 'formats'>,
  offer: { readonly profile: OfferProfile },
): readonly IssuedFormat[] =>
  isDraft(offer.profile) && !isHaip(deps)
    ? ofDrafts(withFormer(deps.formats.issued, deps))
    : offeredFormats(deps, offer)

/** The formats that have configurations here: former ones too where a draft is open that knows them. */
export function publishedFormats(deps: Pick<Deps, 'config' | 'formats'>): readonly IssuedFormat[] {
  const offered = offeredFormats(deps)
  return deps.config.issuerLegacyProfiles.some(hasFormerFormats) ? withFormer(offered, deps) : offered
}
