import type { ServiceStatus, ServiceUse } from '../trust-list.js'

const ETSI = 'http://uri.etsi.org'

/**
 * Types of services that issue attestations, or certificates for those who do: electronic attestations of attributes (TS
 * 119 612 §5.5.1), and the providers of the EU's pilot lists. The authorities of certificates for persons (`CA/QC`) are not
 * among them: everybody with such a certificate could sign credentials.
 */
const ATTESTATIONS: readonly string[] = [
  `${ETSI}/TrstSvc/Svctype/EAA`,
  `${ETSI}/TrstSvc/Svctype/EAA/Q`,
  `${ETSI}/TrstSvc/Svctype/EAA/Pub-EAA`,
  `${ETSI}/Svc/Svctype/Provider/PID`,
  `${ETSI}/Svc/Svctype/Provider/Wallet`,
  `${ETSI}/Svc/Svctype/CA/RPaccess`,
]

/** Uses of a service by its type. There are none unless the type is known, or the operator of Credence has named it. */
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
