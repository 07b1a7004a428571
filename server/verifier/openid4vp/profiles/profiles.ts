import { type Config, certifiesIssuers } from '../../../config/config.js'
import type { CredentialFormat } from '../../../formats/format.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import { DRAFTS, type Draft } from '../../../protocol/openid4vp/drafts.js'
import { vpFormatsSupported } from '../../../protocol/openid4vp/vp-formats.js'
import { draft21 } from './draft21.js'
import { draft24 } from './draft24.js'
import { final } from './final.js'
import { haip } from './haip.js'
import type { KnownFormats, Profile, ProfileName } from './profile.js'

const PROFILES: Readonly<Record<ProfileName, Profile>> = { final, haip, draft24, draft21 }

/** Whether a profile is a draft. New requests can use a draft only if VERIFIER_LEGACY_PROFILES lists it. */
export const isDraft = (name: ProfileName): name is Draft => DRAFTS.some((one) => one === name)

export const profileNamed = (name: ProfileName): Profile => PROFILES[name]

type AllFormats = Pick<KnownFormats, 'all'>
type Anchored = Pick<Config, 'trustAnchors' | 'listed'>

/** The formats of a profile, in the order in which they are listed. */
export const formatsOf = (name: ProfileName, { all }: AllFormats): readonly CredentialFormat[] =>
  all.filter(profileNamed(name).hasFormat)

/**
 * Whether this installation can verify issuers of the format. Some formats need trust anchors or trusted lists for
 * issuers' certificates.
 */
export const isProvable = (config: Anchored, { verifying }: CredentialFormat): boolean =>
  !verifying.certifiedOnly || certifiesIssuers(config)

/** The formats of a profile that this installation can ask for. */
export const askableFormats = (name: ProfileName, formats: AllFormats, config: Anchored): readonly CredentialFormat[] =>
  formatsOf(name, formats).filter((format) => isProvable(config, format))

/** `vp_formats_supported` (OpenID4VP 1.0 §11.1). */
export function vpFormatsOf(name: ProfileName, formats: AllFormats, config: Anchored): JsonObject {
  const { algorithms } = profileNamed(name)
  return vpFormatsSupported(askableFormats(name, formats, config), algorithms, algorithms)
}
