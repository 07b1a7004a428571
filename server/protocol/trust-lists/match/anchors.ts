import { X509Certificate } from 'node:crypto'
import { JwsError } from '../../jose/jws-error.js'
import { LruMap } from '../../jose/lru-map.js'
import { verificationKey } from '../../jose/verification-key.js'
import type { TrustedService } from '../trust-list.js'
import type { AnchorService, AnchorSource, Trusted } from './answers.js'
import { type CertificateFacts, factsOf, keyHashOf } from './certificate-facts.js'

/** A certificate, or a bare key, with the services that list it. */
export interface Anchor {
  readonly services: AnchorService[]
  readonly der?: Uint8Array
}

/** Anchors in indexes, so that a chain finds its candidates without looking at each list. */
export interface Anchors {
  readonly byFingerprint: ReadonlyMap<string, Anchor>
  readonly byKey: ReadonlyMap<string, readonly Anchor[]>
  readonly bySubjectKeyId: ReadonlyMap<string, readonly Anchor[]>
  readonly bySubject: ReadonlyMap<string, readonly Anchor[]>
  /** Chains that were verified before, with the time until which the answer holds. */
  readonly known: LruMap<string, Trusted>
}

const MAX_KNOWN_CHAINS = 2_000
const MAX_KNOWN_CHARACTERS = 8 * 1_048_576

/**
 * Compiles lists into anchors, once for each change of a list. Certificates are parsed only when a chain leads to them.
 * Services that can never be trusted stay in, so that answers can name them.
 */
export function compileAnchors(sources: readonly AnchorSource[]): Anchors {
  const index = new Index()
  for (const source of sources) {
    for (const entity of source.list.entities) {
      const owner = { source, entity }
      for (const service of entity.services) index.add({ owner, service })
    }
  }
  return {
    byFingerprint: index.byFingerprint,
    byKey: index.byKey,
    bySubjectKeyId: index.bySubjectKeyId,
    bySubject: index.bySubject,
    known: new LruMap(MAX_KNOWN_CHAINS, MAX_KNOWN_CHARACTERS),
  }
}

class Index {
  readonly byFingerprint = new Map<string, Anchor>()
  readonly byKey = new Map<string, Anchor[]>()
  readonly bySubjectKeyId = new Map<string, Anchor[]>()
  readonly bySubject = new Map<string, Anchor[]>()

  add(listed: AnchorService): void {
    for (const der of listed.service.certificates) {
      const facts = factsOf(der)
      if (facts !== undefined) this.#addCertificate(der, facts, listed)
    }
    for (const jwk of listed.service.keys) {
      const key = hashOfJwk(jwk)
      if (key === undefined) continue
      push(this.byKey, key, { services: [listed] })
    }
  }

  #addCertificate(der: Uint8Array, facts: CertificateFacts, listed: AnchorService): void {
    const before = this.byFingerprint.get(facts.fingerprint)
    if (before !== undefined) {
      before.services.push(listed)
      return
    }
    const anchor = { services: [listed], der }
    this.byFingerprint.set(facts.fingerprint, anchor)
    push(this.byKey, facts.key, anchor)
    push(this.bySubject, facts.subject, anchor)
    if (facts.subjectKeyId !== undefined) push(this.bySubjectKeyId, facts.subjectKeyId, anchor)
  }
}

function push(map: Map<string, Anchor[]>, key: string, anchor: Anchor): void {
  const anchors = map.get(key)
  if (anchors === undefined) map.set(key, [anchor])
  else anchors.push(anchor)
}

/** The hash of a bare key for `Anchors.byKey`. Undefined for a key that cannot be imported. */
function hashOfJwk(jwk: TrustedService['keys'][number]): string | undefined {
  try {
    return keyHashOf(verificationKey(jwk).export({ type: 'spki', format: 'der' }))
  } catch (error) {
    if (error instanceof JwsError) return undefined
    throw error
  }
}

const parsed = new WeakMap<Anchor, X509Certificate | null>()

/** The certificate of an anchor, parsed on first use. Undefined for a bare key, and for what OpenSSL cannot parse. */
export function certificateOf(anchor: Anchor): X509Certificate | undefined {
  if (anchor.der === undefined) return undefined
  const known = parsed.get(anchor)
  if (known !== undefined) return known ?? undefined
  const certificate = parse(anchor.der)
  parsed.set(anchor, certificate ?? null)
  return certificate
}

function parse(der: Uint8Array): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(der)
    // The getter throws for a key of an unknown kind. Such a key verifies nothing.
    return certificate.publicKey === undefined ? undefined : certificate
  } catch {
    // OpenSSL is stricter than the index. A certificate that it cannot read is no anchor.
    return undefined
  }
}
