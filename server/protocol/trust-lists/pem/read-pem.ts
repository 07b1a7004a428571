import { hash, X509Certificate } from 'node:crypto'
import { MAX_ENTITIES } from '../limits.js'
import { namesOf, requireAtMost, requireSize } from '../members.js'
import type { ListReader } from '../read-list.js'
import { answered, ListRefusedError, malformed, type Progress } from '../refusal.js'
import type { TrustedEntity } from '../trust-list.js'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----/g
const BEGIN = /-----BEGIN /g

/** Certificates in a file name no service. */
export const PEM_SERVICE = 'urn:ietf:rfc:7468:certificate'

/**
 * Reads certificates in PEM form (RFC 7468 §5), each as an entity of its own. Nobody signs such a file, so it must come
 * from a place that the operator of Credence trusts. Only `now` of the options is used.
 */
export const readPem: ListReader = (bytes, { now }) =>
  answered((progress: Progress) => {
    requireSize(bytes)
    progress.signature = 'none'
    progress.trust = 'unpinned'
    const text = Buffer.from(bytes).toString('latin1')
    const blocks = text.match(CERTIFICATE) ?? []
    if (blocks.length === 0) throw new ListRefusedError('malformed', 'The list has no certificate in PEM form.')
    if ((text.match(BEGIN)?.length ?? 0) > blocks.length) {
      throw new ListRefusedError('malformed', 'The list has a PEM block that is no certificate.')
    }
    requireAtMost(blocks.length, MAX_ENTITIES, 'too-many-entities', 'certificates')
    return {
      kind: 'pem',
      issuedAt: now,
      operator: {},
      entities: blocks.map((block, index) => entityOf(block, `certificate ${index + 1}`)),
    }
  })

function entityOf(block: string, place: string): TrustedEntity {
  const certificate = parse(block, place)
  const { subject, raw } = certificate
  const name = subject ? subject.split('\n').join(', ') : `x509_hash:${hash('sha256', raw, 'base64url')}`
  const names = namesOf([['en', name]], place)
  return {
    names,
    services: [
      { type: PEM_SERVICE, uses: ['issuance', 'status'], names, status: 'granted', certificates: [raw], keys: [] },
    ],
  }
}

function parse(block: string, place: string): X509Certificate {
  try {
    return new X509Certificate(block)
  } catch (cause) {
    throw malformed(place, 'is no X.509 certificate', { cause })
  }
}
