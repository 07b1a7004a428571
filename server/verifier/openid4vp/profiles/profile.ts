import type { CredentialFormat } from '../../../formats/format.js'
import type { Formats } from '../../../formats/registry.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import { CLIENT_ID_PREFIXES, type ClientIdPrefix } from '../../../protocol/openid4vp/client-identifier.js'
import { RESPONSE_MODES, type ResponseMode } from '../../../protocol/openid4vp/request-object.js'
import {
  FULLY_SPECIFIED_ALGORITHMS,
  VERIFIED_ALGORITHMS,
  vpFormatsSupported,
} from '../../../protocol/openid4vp/vp-formats.js'

/** What a request and its answer may keep to: OpenID4VP 1.0, or HAIP 1.0 as well. */
export const PROFILE_NAMES = ['final', 'haip'] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]

/** What a profile allows and demands; nothing else knows which profiles there are. */
export interface Profile {
  /** Names of a signed request; of several that one has, one at least is among them. */
  readonly clientIdPrefixes: readonly ClientIdPrefix[]
  readonly responseModes: readonly ResponseMode[]
  /** What the address of a request begins with, beside that for every wallet; null where there is no other. */
  readonly walletUrl: string | null
  /** Whether whoever answers, but by the browser, is always sent back, and the result is for the browser that comes back, unless a request says otherwise. */
  readonly sameDevice: boolean
  readonly hasFormat: (format: CredentialFormat) => boolean
  /** Algorithms of credentials and holders' proofs, as requests name them. */
  readonly algorithms: readonly string[]
  /** Whether certificates that lead to a trust anchor are what issuers, those of status lists too, and the verifier itself are known by. */
  readonly certified: boolean
  /** Whether a holder proves a key wherever a credential has one, as a JWK, whatever the query says. */
  readonly holderBound: boolean
  /** Whose credentials are accepted where neither TRUSTED_ISSUERS nor the request says so. */
  readonly trustedIssuers: readonly string[]
}

const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  final: {
    clientIdPrefixes: CLIENT_ID_PREFIXES,
    responseModes: RESPONSE_MODES,
    walletUrl: null,
    sameDevice: false,
    hasFormat: () => true,
    // Wallets of today know Ed25519 signatures by their former name alone.
    algorithms: VERIFIED_ALGORITHMS,
    certified: false,
    holderBound: false,
    trustedIssuers: ['self'],
  },
  // HAIP 1.0 §5, §5.1, §5.2, §5.3.2, §6.1, §6.1.1
  haip: {
    clientIdPrefixes: ['x509_hash'],
    responseModes: ['direct_post.jwt', 'dc_api.jwt'],
    walletUrl: 'haip-vp://',
    sameDevice: true,
    hasFormat: ({ issuing }) => issuing.haip,
    algorithms: FULLY_SPECIFIED_ALGORITHMS,
    certified: true,
    holderBound: true,
    trustedIssuers: ['self', 'x5c'],
  },
}

export const profileNamed = (name: ProfileName): Profile => PROFILES[name]

/** The formats that can be asked for, in the order in which they are listed. */
export const formatsOf = (name: ProfileName, { all }: Pick<Formats, 'all'>): readonly CredentialFormat[] =>
  all.filter(profileNamed(name).hasFormat)

/** `vp_formats_supported` (OpenID4VP 1.0 §11.1). */
export function vpFormatsOf(name: ProfileName, formats: Pick<Formats, 'all'>): JsonObject {
  const { algorithms } = profileNamed(name)
  return vpFormatsSupported(formatsOf(name, formats), algorithms, algorithms)
}
