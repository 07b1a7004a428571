import { hash } from 'node:crypto'
import { type Signer, signCompact } from '../../jose/jws.js'
import type { Names, TrustedEntity, TrustedService, TrustList } from '../trust-list.js'
import { PROFILES } from './profiles.js'

/** Postal and electronic address of an entity (TS 119 602 §6.5.3). The standard requires both. */
export interface EntityAddress {
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
  readonly address: EntityAddress
  /** Where people read about the entity (TS 119 602 §6.5.4). */
  readonly informationUri: string
}

export interface PublishedList extends Pick<TrustList, 'profile' | 'type' | 'issuedAt' | 'territory' | 'operator'> {
  readonly sequenceNumber: number
  readonly nextUpdate: Date
  readonly schemeName?: Names
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

function loteOf(list: PublishedList) {
  const { profile, territory, schemeName, entities } = list
  const scheme = profile === undefined ? undefined : PROFILES[profile]
  const type = list.type ?? scheme?.type
  return {
    ListAndSchemeInformation: {
      LoTEVersionIdentifier: 1,
      LoTESequenceNumber: list.sequenceNumber,
      ...(type === undefined ? {} : { LoTEType: type }),
      SchemeOperatorName: textsOf(list.operator),
      ...(schemeName === undefined ? {} : { SchemeName: textsOf(schemeName) }),
      ...(scheme === undefined
        ? {}
        : {
            StatusDeterminationApproach: scheme.determination,
            SchemeTypeCommunityRules: [{ lang: LANGUAGE, uriValue: scheme.rules }],
          }),
      ...(territory === undefined ? {} : { SchemeTerritory: territory }),
      ListIssueDateTime: timeOf(list.issuedAt),
      NextUpdate: timeOf(list.nextUpdate),
    },
    // TS 119 602 §6.2: a list without entities leaves the member out.
    ...(entities.length === 0 ? {} : { TrustedEntitiesList: entities.map(entityOf) }),
  }
}

function entityOf({ names, services, address, informationUri }: PublishedEntity) {
  const { street, locality, postalCode, country, electronic } = address
  return {
    TrustedEntityInformation: {
      TEName: textsOf(names),
      TEAddress: {
        TEPostalAddress: [
          {
            lang: LANGUAGE,
            StreetAddress: street,
            ...(locality === undefined ? {} : { Locality: locality }),
            ...(postalCode === undefined ? {} : { PostalCode: postalCode }),
            Country: country,
          },
        ],
        TEElectronicAddress: electronic.map((uriValue) => ({ lang: LANGUAGE, uriValue })),
      },
      TEInformationURI: [{ lang: LANGUAGE, uriValue: informationUri }],
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
