import type { ServiceStatus, ServiceUse } from '../trust-list.js'

const ETSI = 'http://uri.etsi.org'

const SERVICES = `${ETSI}/TrstSvc/Svctype`
const PILOT = `${ETSI}/Svc/Svctype`

/**
 * Types of services that issue attestations, or certificates for their issuers: electronic attestations of attributes
 * (TS 119 612 §5.5.1), and the PID providers of the EU's pilot lists. The authorities of certificates for persons (`CA/QC`)
 * are not among them: everybody with such a certificate could sign credentials.
 */
const ATTESTATIONS: readonly string[] = [
  `${SERVICES}/EAA`,
  `${SERVICES}/EAA/Q`,
  `${SERVICES}/EAA/Pub-EAA`,
  `${PILOT}/Provider/PID`,
]

/**
 * The types of services that are trusted, by the purpose of the list. One list may have services for several purposes. A
 * provider of wallets must not count as an issuer.
 */
export const TSL_SERVICE_TYPES = {
  credentials: ATTESTATIONS,
  status: ATTESTATIONS,
  verifiers: [`${PILOT}/CA/RPaccess`],
  // No type is known for providers of registration certificates. `serviceTypes` of the definition must name it.
  registrars: [],
  wallets: [`${PILOT}/Provider/Wallet`],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Uses of a service by its type. There are none unless the type is named. */
export const usesOf = (type: string, named: readonly string[] = ATTESTATIONS): readonly ServiceUse[] =>
  named.includes(type) ? ['issuance', 'status'] : []

const STATUS = `${ETSI}/TrstSvc/TrustedList/Svcstatus/`
const GRANTED: readonly string[] = ['granted', 'recognisedatnationallevel']
const WITHDRAWN: readonly string[] = [
  'withdrawn',
  'deprecatedatnationallevel',
  'deprecatedbynationallaw',
  'supervisionceased',
  'supervisionrevoked',
  'accreditationceased',
  'accreditationrevoked',
]

/** The state of a service (TS 119 612 §5.5.4, and the states of earlier versions). */
export function statusOf(uri: string): ServiceStatus {
  const name = uri.startsWith(STATUS) ? uri.slice(STATUS.length) : ''
  if (GRANTED.includes(name)) return 'granted'
  return WITHDRAWN.includes(name) ? 'withdrawn' : 'unknown'
}
