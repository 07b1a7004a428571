import { decodeBase64 } from '../certificates.js'
import { MAX_CERTIFICATES, MAX_ENTITIES, MAX_SERVICES } from '../limits.js'
import { namesOf, requireAtMost, textAt, timeAt } from '../members.js'
import { ListRefusedError, malformed } from '../refusal.js'
import { CertificateBudget, periodOf } from '../service.js'
import type { Names, TrustedEntity, TrustedService, TrustList } from '../trust-list.js'
import { statusOf, usesOf } from './service-types.js'
import { attributeOf, childOf, childrenOf, elementsOf, languageOf, textOf, type XmlElement } from './xml/tree.js'

const TSL = 'http://uri.etsi.org/02231/v2#'
const VERSIONS: readonly string[] = ['5', '6']
const DIGITS = /^\d{1,15}$/

/** Extensions of services that may be critical, because they do not change whether the service is trusted (§5.5.9). */
const KNOWN_EXTENSIONS: readonly string[] = [
  'AdditionalServiceInformation',
  'ExpiredCertsRevocationInfo',
  'Qualifications',
  'TakenOverBy',
]

const child = (element: XmlElement, local: string) => childOf(element, TSL, local, 'malformed')

/** An element that must be there, by the names of the elements that lead to it. */
function at(element: XmlElement, ...path: readonly string[]): XmlElement {
  return path.reduce((above, local) => {
    const found = child(above, local)
    if (found === undefined) throw malformed(above.local, `has no ${local}`)
    return found
  }, element)
}

const textIn = (element: XmlElement, local: string): string => textAt(textOf(at(element, local)), local)

/**
 * Reads a trusted list (TS 119 612 §5) from the root of the signed document. Only what decides about trust, and names,
 * is read. Pointers to other lists are not followed. Throws ListRefusedError.
 *
 * @param serviceTypes types of services that the operator trusts; by default those that issue attestations
 */
export function readContent(root: XmlElement, serviceTypes: readonly string[] | undefined): TrustList {
  if (root.uri !== TSL || root.local !== 'TrustServiceStatusList') {
    throw new ListRefusedError('type', 'The list is of another type: its root is no TrustServiceStatusList.')
  }
  const scheme = at(root, 'SchemeInformation')
  if (!VERSIONS.includes(textIn(scheme, 'TSLVersionIdentifier'))) {
    throw new ListRefusedError('type', `The list is of another version of TS 119 612 than ${VERSIONS.join(' and ')}.`)
  }
  requireKnownExtensions(child(scheme, 'SchemeExtensions'))
  const sequence = textIn(scheme, 'TSLSequenceNumber')
  if (!DIGITS.test(sequence)) throw malformed('TSLSequenceNumber', 'must be an integer')
  const territory = child(scheme, 'SchemeTerritory')
  return {
    kind: 'tsl',
    type: textIn(scheme, 'TSLType'),
    sequenceNumber: Number(sequence),
    issuedAt: timeAt(textOf(at(scheme, 'ListIssueDateTime')), 'ListIssueDateTime'),
    nextUpdate: nextUpdateOf(scheme),
    ...(territory === undefined ? {} : { territory: textAt(textOf(territory), 'SchemeTerritory') }),
    operator: namesIn(scheme, 'SchemeOperatorName'),
    entities: readEntities(child(root, 'TrustServiceProviderList'), serviceTypes),
  }
}

/** §5.3.15: a closed list has an empty element. It is out of date for ever. */
function nextUpdateOf(scheme: XmlElement): Date {
  const element = at(scheme, 'NextUpdate')
  const time = child(element, 'dateTime')
  if (time === undefined) throw new ListRefusedError('out-of-date', 'The list is closed: it has no next update.')
  return timeAt(textOf(time), 'NextUpdate')
}

/** §5.3.17: a list with a critical extension that is not known must be refused. */
function requireKnownExtensions(extensions: XmlElement | undefined): void {
  if (extensions === undefined || !hasUnknownCritical(extensions)) return
  throw new ListRefusedError('critical-extension', 'The list has a critical extension that is not known.')
}

const hasUnknownCritical = (extensions: XmlElement): boolean =>
  childrenOf(extensions, TSL, 'Extension').some(
    (extension) =>
      !['false', '0'].includes(attributeOf(extension, 'Critical') ?? 'true') &&
      !elementsOf(extension).every(({ local }) => KNOWN_EXTENSIONS.includes(local)),
  )

function namesIn(element: XmlElement, local: string): Names {
  const names = childrenOf(at(element, local), TSL, 'Name')
  return namesOf(
    names.map((name) => [languageOf(name), textOf(name)]),
    local,
  )
}

function readEntities(list: XmlElement | undefined, types: readonly string[] | undefined): readonly TrustedEntity[] {
  const providers = list === undefined ? [] : childrenOf(list, TSL, 'TrustServiceProvider')
  requireAtMost(providers.length, MAX_ENTITIES, 'too-many-entities', 'entities')
  const budget = new CertificateBudget()
  return providers.map((provider) => {
    const services = childrenOf(at(provider, 'TSPServices'), TSL, 'TSPService')
    requireAtMost(services.length, MAX_SERVICES, 'too-many-services', 'services of one entity')
    return {
      names: namesIn(at(provider, 'TSPInformation'), 'TSPName'),
      services: services.map((service) => readService(at(service, 'ServiceInformation'), types, budget)),
    }
  })
}

function readService(
  information: XmlElement,
  types: readonly string[] | undefined,
  budget: CertificateBudget,
): TrustedService {
  const type = textIn(information, 'ServiceTypeIdentifier')
  const statusUri = textIn(information, 'ServiceStatus')
  const extensions = child(information, 'ServiceInformationExtensions')
  const isClosed = extensions !== undefined && hasUnknownCritical(extensions)
  const status = isClosed ? 'unknown' : statusOf(statusUri)
  const since = timeAt(textOf(at(information, 'StatusStartingTime')), 'StatusStartingTime')
  return {
    type,
    uses: usesOf(type, types),
    names: namesIn(information, 'ServiceName'),
    status,
    statusUri,
    ...periodOf(status, since),
    certificates: readCertificates(at(information, 'ServiceDigitalIdentity'), budget),
    keys: [],
  }
}

/** §5.5.3. Subject names and key identifiers are not read: they prove nothing about a key. */
function readCertificates(identity: XmlElement, budget: CertificateBudget): readonly Uint8Array[] {
  const certificates = childrenOf(identity, TSL, 'DigitalId').flatMap((id) => childrenOf(id, TSL, 'X509Certificate'))
  requireAtMost(certificates.length, MAX_CERTIFICATES, 'too-many-certificates', 'certificates of one service')
  budget.take(certificates.length)
  return certificates.map((certificate) => decodeBase64(textOf(certificate), 'X509Certificate'))
}
