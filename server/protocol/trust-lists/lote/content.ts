import { algorithmOfJwk } from '../../jose/algorithms.js'
import { hasPrivateMembers, type Jwk } from '../../jose/jws.js'
import type { JsonObject } from '../../json/json-object.js'
import { decodeBase64 } from '../certificates.js'
import { MAX_CERTIFICATES, MAX_ENTITIES, MAX_SERVICES } from '../limits.js'
import {
  arrayAt,
  countAt,
  namesAt,
  objectAt,
  optionalTextAt,
  optionalTimeAt,
  requireAtMost,
  timeAt,
} from '../members.js'
import type { ReadOptions } from '../read-list.js'
import { ListRefusedError, malformed } from '../refusal.js'
import { CertificateBudget, periodOf } from '../service.js'
import type { TrustedEntity, TrustedService, TrustList } from '../trust-list.js'
import { requireProfile, statusOf, usesOf } from './profiles.js'

const SCHEME = 'LoTE.ListAndSchemeInformation'
const ENTITIES = 'LoTE.TrustedEntitiesList'

/** What decides about the types of services. */
type Types = Pick<ReadOptions, 'profile' | 'serviceTypes'>

/** The version of the data model (TS 119 602 §6.3.1). */
const VERSION = 1

/**
 * Reads the payload of a list (TS 119 602 §6, and its JSON schema). Only members that decide about trust, and names, are
 * read. Throws ListRefusedError.
 */
export function readContent(payload: JsonObject, types: Types): TrustList {
  const { profile } = types
  const lote = objectAt(payload.LoTE, 'LoTE')
  const scheme = objectAt(lote.ListAndSchemeInformation, SCHEME)
  if (countAt(scheme.LoTEVersionIdentifier, `${SCHEME}.LoTEVersionIdentifier`) !== VERSION) {
    throw new ListRefusedError('type', `The list is of another version of the data model than ${VERSION}.`)
  }
  requireKnownExtensions(scheme.SchemeExtensions, `${SCHEME}.SchemeExtensions`)
  const type = optionalTextAt(scheme.LoTEType, `${SCHEME}.LoTEType`)
  const issuedAt = timeAt(scheme.ListIssueDateTime, `${SCHEME}.ListIssueDateTime`)
  const nextUpdate = timeAt(scheme.NextUpdate, `${SCHEME}.NextUpdate`)
  if (profile !== undefined) requireProfile(profile, { type, issuedAt, nextUpdate })
  const territory = optionalTextAt(scheme.SchemeTerritory, `${SCHEME}.SchemeTerritory`)
  return {
    kind: 'lote',
    ...(profile === undefined ? {} : { profile }),
    ...(type === undefined ? {} : { type }),
    sequenceNumber: countAt(scheme.LoTESequenceNumber, `${SCHEME}.LoTESequenceNumber`),
    issuedAt,
    nextUpdate,
    ...(territory === undefined ? {} : { territory }),
    operator: namesAt(scheme.SchemeOperatorName, `${SCHEME}.SchemeOperatorName`),
    entities: readEntities(lote.TrustedEntitiesList, types),
  }
}

/** TS 119 602 §6.3.17: a list with a critical extension that is not known must be refused. */
function requireKnownExtensions(value: unknown, place: string): void {
  if (!isCritical(value, place)) return
  throw new ListRefusedError('critical-extension', `The list has a critical extension that is not known in ${place}.`)
}

/** Whether one of the extensions is critical. No extension is known here. The standard leaves their form open. */
function isCritical(value: unknown, place: string): boolean {
  if (value === undefined) return false
  return arrayAt(value, place).some(
    (extension) =>
      typeof extension === 'object' &&
      extension !== null &&
      Object.entries(extension).some(([name, member]) => name.toLowerCase() === 'critical' && member !== false),
  )
}

function readEntities(value: unknown, types: Types): readonly TrustedEntity[] {
  // TS 119 602 §6.2: a list without entities leaves the member out.
  if (value === undefined) return []
  const entities = arrayAt(value, ENTITIES)
  requireAtMost(entities.length, MAX_ENTITIES, 'too-many-entities', 'entities')
  const budget = new CertificateBudget()
  return entities.map((entity, index) => readEntity(entity, { place: `${ENTITIES}[${index}]`, types, budget }))
}

interface Reading {
  readonly place: string
  readonly types: Types
  readonly budget: CertificateBudget
}

function readEntity(value: unknown, { place, types, budget }: Reading): TrustedEntity {
  const entity = objectAt(value, place)
  const information = objectAt(entity.TrustedEntityInformation, `${place}.TrustedEntityInformation`)
  const services = arrayAt(entity.TrustedEntityServices, `${place}.TrustedEntityServices`)
  requireAtMost(services.length, MAX_SERVICES, 'too-many-services', 'services of one entity')
  const closed = isCritical(
    information.TEInformationExtensions,
    `${place}.TrustedEntityInformation.TEInformationExtensions`,
  )
  const read = services.map((service, index) =>
    readService(service, { place: `${place}.TrustedEntityServices[${index}]`, types, budget }),
  )
  return {
    names: namesAt(information.TEName, `${place}.TrustedEntityInformation.TEName`),
    services: closed ? read.map((service) => ({ ...service, status: 'unknown' as const })) : read,
  }
}

function readService(value: unknown, { place, types, budget }: Reading): TrustedService {
  const service = objectAt(value, place)
  const at = `${place}.ServiceInformation`
  const information = objectAt(service.ServiceInformation, at)
  const type = optionalTextAt(information.ServiceTypeIdentifier, `${at}.ServiceTypeIdentifier`)
  const statusUri = optionalTextAt(information.ServiceStatus, `${at}.ServiceStatus`)
  const since = optionalTimeAt(information.StatusStartingTime, `${at}.StatusStartingTime`)
  const closed = isCritical(information.ServiceInformationExtensions, `${at}.ServiceInformationExtensions`)
  const status = closed ? 'unknown' : statusOf(statusUri)
  return {
    type: type ?? '',
    uses: usesOf(type, types),
    names: namesAt(information.ServiceName, `${at}.ServiceName`),
    status,
    ...(statusUri === undefined ? {} : { statusUri }),
    ...periodOf(status, since),
    ...readIdentity(information.ServiceDigitalIdentity, `${at}.ServiceDigitalIdentity`, budget),
  }
}

/**
 * TS 119 602 §6.6.3. Subject names, key identifiers and other identifiers are not read: they prove nothing about a key.
 */
function readIdentity(
  value: unknown,
  place: string,
  budget: CertificateBudget,
): Pick<TrustedService, 'certificates' | 'keys'> {
  const { X509Certificates: certificates = [], PublicKeyValues: keys = [] } = objectAt(value, place)
  const listed = arrayAt(certificates, `${place}.X509Certificates`)
  const listedKeys = arrayAt(keys, `${place}.PublicKeyValues`)
  requireAtMost(
    listed.length + listedKeys.length,
    MAX_CERTIFICATES,
    'too-many-certificates',
    'certificates of one service',
  )
  budget.take(listed.length + listedKeys.length)
  return {
    certificates: listed.map((entry, index) => {
      const at = `${place}.X509Certificates[${index}]`
      return decodeBase64(objectAt(entry, at).val, `${at}.val`)
    }),
    keys: listedKeys.map((key, index) => readKey(key, `${place}.PublicKeyValues[${index}]`)),
  }
}

function readKey(value: unknown, place: string): Jwk {
  const jwk: Jwk = objectAt(value, place)
  if (hasPrivateMembers(jwk)) throw malformed(place, 'is a private key')
  if (algorithmOfJwk(jwk) === undefined) throw malformed(place, 'is no public key of a supported type')
  return jwk
}
