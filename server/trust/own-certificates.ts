import { X509Certificate } from 'node:crypto'
import type { ListPurpose } from '../config/trust-lists.js'
import { authorityIn } from '../protocol/issuer-keys/authority.js'
import type { CertificatePurpose } from '../protocol/issuer-keys/certificate-purpose.js'
import { type Anchor, type Anchors, certificateOf } from '../protocol/trust-lists/match/anchors.js'
import { factsOf } from '../protocol/trust-lists/match/certificate-facts.js'
import { faultOf } from '../protocol/trust-lists/match/eligible.js'
import { matchChain } from '../protocol/trust-lists/match/match.js'
import type { TrustList } from '../protocol/trust-lists/trust-list.js'
import { nameOf } from './documents.js'
import { compileList } from './live/compile.js'
import type { OwnRemoved } from './refresh.js'

/** A certificate chain of this installation. */
export interface OwnChain {
  /** `issuer …`, `verifier …`, `the registrar of verifier …`: part of a sentence, and different for each chain. */
  readonly name: string
  readonly purpose: ListPurpose
  /** Base64 DER, the signer's first. */
  readonly x5c: readonly string[]
}

/** Limit of the certificates that a sentence names. */
const MAX_NAMED = 5
const END_OF_TIME = new Date(8_640_000_000_000_000)

/** Whether a list vouches for an own authority, or for the root above it. Its document signers are on the list then. */
function hasAuthority({ byFingerprint, bySubject }: Anchors, x5c: readonly string[], now: Date): boolean {
  const counts = ({ services }: Anchor) =>
    services.some((found) => {
      const fault = faultOf(found, { now, use: 'issuance', type: undefined })
      return fault === undefined || fault === 'other-type'
    })
  return x5c.some((base64) => {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'))
    const facts = factsOf(certificate.raw)
    if (facts === undefined) return false
    const itself = byFingerprint.get(facts.fingerprint)
    const above = (bySubject.get(facts.issuer) ?? []).filter((anchor) => {
      const key = certificateOf(anchor)?.publicKey
      return key !== undefined && certificate.verify(key)
    })
    return [...(itself === undefined ? [] : [itself]), ...above].some(counts)
  })
}

/** Whether a list vouches for a chain. Limits to types do not matter here. */
function isOn(anchors: readonly Anchors[], x5c: readonly string[], purpose: CertificatePurpose, now: Date): boolean {
  return anchors.some((part) => {
    if (authorityIn(x5c) !== undefined) return hasAuthority(part, x5c, now)
    const match = matchChain(x5c, part, { now, use: 'issuance', purpose })
    return match.trusted || match.reason === 'other-type'
  })
}

const anchorsOf = (list: TrustList): Promise<readonly Anchors[]> =>
  compileList({ id: 'own', until: END_OF_TIME, types: undefined }, list)

const NO_LONGER_OF = ' no longer has the certificate of '
const MORE = /^and \d+ more$/

/** The chains that an alert names. `hasMore` if the alert only counts further chains. */
function namedIn(alert: string | null): { readonly names: ReadonlySet<string>; readonly hasMore: boolean } {
  const [, listed = ''] = alert?.split(NO_LONGER_OF) ?? []
  const parts = listed.replace(/\.$/, '').split(', ')
  return { names: new Set(parts.filter((part) => !MORE.test(part))), hasMore: parts.some((part) => MORE.test(part)) }
}

/** Dependencies of {@link createOwnRemoved}. */
export interface OwnRemovedPorts {
  readonly ownChains: () => Promise<readonly OwnChain[]>
}

/**
 * Finds the certificates of this installation that a new content of a list no longer vouches for. The content before did, or an earlier
 * alert names them. Others then refuse the signatures of their keys. The content is taken even so, because the list decides.
 */
export function createOwnRemoved({ ownChains }: OwnRemovedPorts): OwnRemoved {
  return async (definitions, { before, next: list, alert }, now) => {
    const [first] = definitions
    if (first === undefined) return undefined
    const purposes = new Set(definitions.map(({ purpose }) => purpose))
    const own = (await ownChains()).filter(({ purpose }) => purposes.has(purpose))
    if (own.length === 0) return undefined
    const { names: alerted, hasMore } = namedIn(alert)
    const [old, next] = await Promise.all([anchorsOf(before), anchorsOf(list)])
    const removed = own.filter(({ name, x5c, purpose }) => {
      const kind = purpose === 'verifiers' ? 'request' : 'credential'
      // The alert does not name all chains if it counts further ones. Too loud is better than a forgotten chain.
      const wasOn = isOn(old, x5c, kind, now) || alerted.has(name) || hasMore
      return wasOn && !isOn(next, x5c, kind, now)
    })
    if (removed.length === 0) return undefined
    // A chain may count for two purposes.
    const names = [...new Set(removed.map(({ name }) => name))]
    const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : ''
    return `The list ${nameOf(first)}${NO_LONGER_OF}${names.slice(0, MAX_NAMED).join(', ')}${more}.`
  }
}
