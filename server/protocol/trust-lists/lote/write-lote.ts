import { hash } from 'node:crypto'
import { type Signer, signCompact } from '../../jose/jws.js'
import type { Names, TrustedEntity, TrustedService, TrustList } from '../trust-list.js'
import { PROFILES } from './profiles.js'

/** Postal and electronic addresses of a scheme operator or an entity (TS 119 602 §6.3.5, §6.5.3). The standard requires both. */
export interface PublishedAddress {
  readonly street: string
  readonly locality?: string
  readonly postalCode?: string
  /** Country code of two letters. */
  readonly country: string
  /** `mailto:` and web addresses. */
  readonly electronic: readonly string[]
}

/** An entity of a published list, with the members that the standard requires and readers of lists do not need. */
export interface PublishedEntity extends TrustedEntity {
  readonly address: PublishedAddress
  /** Where people read about the entity (TS 119 602 §6.5.4). */
  readonly informationUri: string
}

/**
 * A list to publish. A list of a profile describes its scheme, so it needs each member about the scheme (TS 119 602 annexes D to H).
 */
export interface PublishedList extends Pick<TrustList, 'profile' | 'type' | 'issuedAt' | 'territory' | 'operator'> {
  readonly sequenceNumber: number
  readonly nextUpdate: Date
  readonly operatorAddress?: PublishedAddress
  readonly schemeName?: Names
  /** Where people read about the scheme (TS 119 602 §6.3.7). */
  readonly informationUri?: string
  /** Where people read the policy or legal notice of the scheme (TS 119 602 §6.3.11). */
  readonly policyUri?: string
  readonly entities: readonly PublishedEntity[]
}

/** TS 119 602 §6.1.3: UTC, without fractions of a second. */
const timeOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

const textsOf = (names: Names) => Object.entries(names).map(([lang, value]) => ({ lang, value }))

const LANGUAGE = 'en'

/**
 * Signs a list of trusted entities (TS 119 602) as a compact JWS in JAdES baseline B (§6.8; TS 119 182-1 §6.3). The header
 * has the chain of the signer's certificate (base64 DER, the signer's first), its hash, and the time of issue as `iat`.
 */
export async function writeLote(list: PublishedList, signer: Signer, x5c: readonly string[]): Promise<string> {
  const header = { typ: 'JOSE', x5c, ...thumbprintOf(x5c), iat: Math.floor(list.issuedAt.getTime() / 1000) }
  return signCompact(signer, header, { LoTE: loteOf(list) })
}

/** Baseline B requires `x5t#S256`, also beside `x5c`. */
const thumbprintOf = ([signer]: readonly string[]) =>
  signer === undefined ? {} : { 'x5t#S256': hash('sha256', Buffer.from(signer, 'base64'), 'base64url') }

const uriOf = (uriValue: string) => ({ lang: LANGUAGE, uriValue })

function postalOf({ street, locality, postalCode, country }: PublishedAddress) {
  return {
    lang: LANGUAGE,
    StreetAddress: street,
    ...(locality === undefined ? {} : { Locality: locality }),
    ...(postalCode === undefined ? {} : { PostalCode: postalCode }),
    Country: country,
  }
}

const operatorAddressOf = (address: PublishedAddress) => ({
  SchemeOperatorPostalAddress: [postalOf(address)],
  SchemeOperatorElectronicAddress: address.electronic.map(uriOf),
})

function loteOf(list: PublishedList) {
  const { profile, territory, operatorAddress, schemeName, informationUri, policyUri, entities } = list
  const scheme = profile === undefined ? undefined : PROFILES[profile]
  const type = list.type ?? scheme?.type
  return {
    ListAndSchemeInformation: {
      LoTEVersionIdentifier: 1,
      LoTESequenceNumber: list.sequenceNumber,
      ...(type === undefined ? {} : { LoTEType: type }),
      SchemeOperatorName: textsOf(list.operator),
      ...(operatorAddress === undefined ? {} : { SchemeOperatorAddress: operatorAddressOf(operatorAddress) }),
      ...(schemeName === undefined ? {} : { SchemeName: textsOf(schemeName) }),
      ...(informationUri === undefined ? {} : { SchemeInformationURI: [uriOf(informationUri)] }),
      ...(scheme === undefined
        ? {}
        : {
            StatusDeterminationApproach: scheme.determination,
            SchemeTypeCommunityRules: [uriOf(scheme.rules)],
          }),
      ...(territory === undefined ? {} : { SchemeTerritory: territory }),
      ...(policyUri === undefined ? {} : { PolicyOrLegalNotice: [{ LoTEPolicy: uriOf(policyUri) }] }),
      ListIssueDateTime: timeOf(list.issuedAt),
      NextUpdate: timeOf(list.nextUpdate),
    },
    // TS 119 602 §6.2: a list without entities leaves the member out.
    ...(entities.length === 0 ? {} : { TrustedEntitiesList: entities.map(entityOf) }),
  }
}

function entityOf({ names, services, address, informationUri }: PublishedEntity) {
  return {
    TrustedEntityInformation: {
      TEName: textsOf(names),
      TEAddress: {
        TEPostalAddress: [postalOf(address)],
        TEElectronicAddress: address.electronic.map(uriOf),
      },
      TEInformationURI: [uriOf(informationUri)],
    },
    TrustedEntityServices: services.map((service) => ({ ServiceInformation: serviceOf(service) })),
  }
}

function serviceOf({ type, names, statusUri, startsAt, endsAt, certificates, keys }: TrustedService) {
  const since = endsAt ?? startsAt
  return {
    ServiceName: textsOf(names),
    ServiceTypeIdentifier: type,
    ...(statusUri === undefined ? {} : { ServiceStatus: statusUri }),
    ...(since === undefined ? {} : { StatusStartingTime: timeOf(since) }),
    ServiceDigitalIdentity: {
      ...(certificates.length === 0
        ? {}
        : { X509Certificates: certificates.map((der) => ({ val: Buffer.from(der).toString('base64') })) }),
      ...(keys.length === 0 ? {} : { PublicKeyValues: keys }),
    },
  }
}
