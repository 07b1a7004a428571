import { type CborMap, type CborValue, isArray, isBytes, isMap, TAG_DATE_TIME, Tagged } from '../../mdoc/cbor/values.js'
import { certificateAt } from '../certificates.js'
import { MAX_ENTITIES } from '../limits.js'
import { countAt, namesOf, optionalTextAt, requireAtMost, textAt, timeAt } from '../members.js'
import { ListRefusedError, malformed } from '../refusal.js'
import { CertificateBudget } from '../service.js'
import type { TrustedEntity, TrustedService, TrustList } from '../trust-list.js'

const VERSION = '1.0'
const LANGUAGE = 'en'
/** Certificates of a VICAL are of issuing authorities. It names no type, so this is the name of the standard's part. */
export const IACA = 'urn:iso:std:iso-iec:18013:-5:iaca'
const MAX_TYPES = 100

/** Reads the content of a VICAL (ISO/IEC 18013-5 §C.1.7.1). Throws ListRefusedError. */
export function readContent(value: CborValue): TrustList {
  if (!isMap(value)) throw malformed('the content', 'must be a map')
  if (value.get('version') !== VERSION) {
    throw new ListRefusedError('type', `The list is of another version of VICAL than ${VERSION}.`)
  }
  const issueId = value.get('vicalIssueID')
  const nextUpdate = value.get('nextUpdate')
  const infos = value.get('certificateInfos')
  if (!isArray(infos)) throw malformed('certificateInfos', 'must be an array')
  return {
    kind: 'vical',
    ...(issueId === undefined ? {} : { sequenceNumber: countAt(issueId, 'vicalIssueID') }),
    issuedAt: timeOf(value.get('date'), 'date'),
    ...(nextUpdate === undefined ? {} : { nextUpdate: timeOf(nextUpdate, 'nextUpdate') }),
    operator: { [LANGUAGE]: textAt(value.get('vicalProvider'), 'vicalProvider') },
    entities: readEntities(infos),
  }
}

const timeOf = (value: CborValue, place: string): Date =>
  timeAt(value instanceof Tagged && value.tag === TAG_DATE_TIME ? value.value : value, place)

/**
 * Certificates of one issuing authority belong to one entity. The operator of the list vouches for the authority's name. A
 * certificate without such a name is an entity of its own.
 */
function readEntities(infos: readonly CborValue[]): readonly TrustedEntity[] {
  requireAtMost(infos.length, MAX_ENTITIES, 'too-many-entities', 'certificates')
  new CertificateBudget().take(infos.length)
  const entities = new Map<string, TrustedEntity & { services: TrustedService[] }>()
  for (const [index, info] of infos.entries()) {
    const place = `certificateInfos[${index}]`
    if (!isMap(info)) throw malformed(place, 'must be a map')
    const { key, names, territory } = readAuthority(info, place)
    const entity = entities.get(key) ?? { names, ...(territory === undefined ? {} : { territory }), services: [] }
    entity.services.push(readService(info, place, names))
    entities.set(key, entity)
  }
  return [...entities.values()]
}

function readAuthority(info: CborMap, place: string) {
  const authority = optionalTextAt(info.get('issuingAuthority'), `${place}.issuingAuthority`)
  const territory = optionalTextAt(info.get('issuingCountry'), `${place}.issuingCountry`)
  const state = optionalTextAt(info.get('stateOrProvinceName'), `${place}.stateOrProvinceName`)
  const name = authority ?? state ?? territory ?? 'An issuing authority without a name'
  const key = authority === undefined ? place : JSON.stringify([authority, territory, state])
  return { key, names: namesOf([[LANGUAGE, name]], place), territory }
}

function readService(info: CborMap, place: string, names: TrustedService['names']): TrustedService {
  const certificate = info.get('certificate')
  if (!isBytes(certificate)) throw malformed(`${place}.certificate`, 'must be a byte string')
  const types = info.get('docType')
  if (!isArray(types) || types.length === 0 || types.length > MAX_TYPES) {
    throw malformed(`${place}.docType`, `must be an array of 1 to ${MAX_TYPES} texts`)
  }
  return {
    type: IACA,
    // ISO/IEC 18013-5 §B.1: an issuing authority certifies the signers of documents and of their status.
    uses: ['issuance', 'status'],
    names,
    status: 'granted',
    // A copy: the list's bytes need not stay in memory.
    certificates: [Uint8Array.from(certificateAt(certificate, `${place}.certificate`))],
    keys: [],
    types: types.map((type) => textAt(type, `${place}.docType`)),
  }
}
