import type { Config } from '../../../config/config.js'
import type { CredentialFormat } from '../../../formats/format.js'
import type { Formats } from '../../../formats/registry.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import { CLIENT_ID_PREFIXES, type ClientIdPrefix } from '../../../protocol/openid4vp/client-identifier.js'
import { DRAFTS, type Draft } from '../../../protocol/openid4vp/drafts.js'
import { RESPONSE_MODES, type ResponseMode } from '../../../protocol/openid4vp/request-object.js'
import {
  FULLY_SPECIFIED_ALGORITHMS,
  VERIFIED_ALGORITHMS,
  vpFormatsSupported,
} from '../../../protocol/openid4vp/vp-formats.js'
import type { Dialect } from './dialect.js'
import { draft21 } from './draft21.js'
import { draft24 } from './draft24.js'
import { final as finalDialect } from './final.js'

/** What a request and its answer may keep to: OpenID4VP 1.0, HAIP 1.0 as well, or a draft of OpenID4VP. */
export const PROFILE_NAMES = ['final', 'haip', ...DRAFTS] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]

/** What a profile allows and demands; nothing else knows which profiles there are. */
export interface Profile {
  readonly dialect: Dialect
  /** Names of a signed request; of several that one has, one at least is among them. */
  readonly clientIdPrefixes: readonly ClientIdPrefix[]
  /** How a verifier with a certificate names itself; as one without where it cannot. */
  readonly certifiedPrefix: ClientIdPrefix
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

const final: Profile = {
  dialect: finalDialect,
  clientIdPrefixes: CLIENT_ID_PREFIXES,
  certifiedPrefix: 'x509_hash',
  responseModes: RESPONSE_MODES,
  walletUrl: null,
  sameDevice: false,
  hasFormat: () => true,
  // Wallets of today know Ed25519 signatures by their former name alone.
  algorithms: VERIFIED_ALGORITHMS,
  certified: false,
  holderBound: false,
  trustedIssuers: ['self'],
}

const draft = (dialect: Dialect): Profile => ({
  ...final,
  dialect,
  // x509_hash came with draft 25.
  clientIdPrefixes: CLIENT_ID_PREFIXES.filter((prefix) => prefix !== 'x509_hash'),
  certifiedPrefix: 'x509_san_dns',
  responseModes: ['direct_post', 'direct_post.jwt'],
  hasFormat: ({ querying }) => querying.exchange.presentedAs.length > 0,
})

const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  final,
  // HAIP 1.0 §5, §5.1, §5.2, §5.3.2, §6.1, §6.1.1
  haip: {
    ...final,
    clientIdPrefixes: ['x509_hash'],
    responseModes: ['direct_post.jwt', 'dc_api.jwt'],
    walletUrl: 'haip-vp://',
    sameDevice: true,
    hasFormat: ({ haip }) => haip,
    algorithms: FULLY_SPECIFIED_ALGORITHMS,
    certified: true,
    holderBound: true,
    trustedIssuers: ['self', 'x5c'],
  },
  draft24: draft(draft24),
  draft21: draft(draft21),
}

/** Whether a profile is that of a draft, which must be opened for new requests. */
export const isDraft = (name: ProfileName): name is Draft => DRAFTS.some((one) => one === name)

/** How wallets are spoken with about a request of a profile. */
export const dialectOf = (name: ProfileName): Dialect => PROFILES[name].dialect

export const profileNamed = (name: ProfileName): Profile => PROFILES[name]

interface KnownFormats {
  readonly formats: Pick<Formats, 'all'>
}

interface Trusting {
  readonly config: Pick<Config, 'trustAnchors'>
}

/** The formats of a profile, in the order in which they are listed. */
export const formatsOf = (name: ProfileName, { formats }: KnownFormats): readonly CredentialFormat[] =>
  formats.all.filter(profileNamed(name).hasFormat)

/** Whether issuers' certificates can be proven here, where the format needs that. */
export const isProvable = ({ config }: Trusting, { verifying }: CredentialFormat): boolean =>
  !verifying.certifiedOnly || config.trustAnchors.length > 0

/** Those of them that can be asked for here. */
export const askableFormats = (name: ProfileName, deps: KnownFormats & Trusting): readonly CredentialFormat[] =>
  formatsOf(name, deps).filter((format) => isProvable(deps, format))

/** `vp_formats_supported` (OpenID4VP 1.0 §11.1). */
export function vpFormatsOf(name: ProfileName, deps: KnownFormats & Trusting): JsonObject {
  const { algorithms } = profileNamed(name)
  return vpFormatsSupported(askableFormats(name, deps), algorithms, algorithms)
}
