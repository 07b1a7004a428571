import type { X509Certificate } from 'node:crypto'
import { readX5c, verifyCertificateChain } from '../../issuer-keys/certificate-chain.js'
import type { CertificatePurpose } from '../../issuer-keys/certificate-purpose.js'
import { verifyTrustedSigner } from '../../issuer-keys/certificate-requirements.js'
import { IssuerKeyError } from '../../issuer-keys/issuer-key-error.js'
import type { Jwk } from '../../jose/jwk.js'
import { type Anchor, type Anchors, certificateOf } from './anchors.js'
import type { AnchorService, Match, NotTrusted, ServiceFault, Trusted, TrustQuery } from './answers.js'
import { type CertificateFacts, factsOf } from './certificate-facts.js'
import { faultOf, sentenceOf } from './eligible.js'

const NO_SERVICE = 'The certificate chain leads to no service of a trusted list.'

/** Candidates of one chain that are tried. More exist only if a list repeats names or key identifiers. */
const MAX_CANDIDATES = 64

/**
 * Finds the service of a trusted list that a chain leads to: by the certificate itself, by its key, or by a verified
 * chain. Names and key identifiers only find candidates; a signature or a key decides (RFC 5280 §6.1). Answers are kept
 * as long as the certificates, the service and the list are in force. Revocation of certificates is not checked.
 *
 * @param x5c the chain in base64 DER, the signer's certificate first, like the header of a JWS
 */
export function matchChain(
  x5c: unknown,
  anchors: Anchors,
  query: TrustQuery & { readonly purpose: CertificatePurpose; readonly withoutRoots?: boolean },
): Match {
  const { now, use, type, entity, purpose, withoutRoots = false } = query
  // An entity is no text. Answers about one entity are not kept.
  const name = entity === undefined ? JSON.stringify([use, type, purpose, withoutRoots, x5c]) : undefined
  const before = name === undefined ? undefined : anchors.known.get(name)
  if (before !== undefined && before.from <= now.getTime() && now.getTime() < before.until) return before
  try {
    const chain = readX5c(x5c)
    const match = judge(chain, anchors, query)
    // A chain with other certificates behind the anchor is not kept: anybody could fill the memory with such chains.
    const whole = match.trusted && match.by !== 'key' && chain.every(({ raw }, at) => match.path[at]?.raw.equals(raw))
    if (name !== undefined && match.trusted && whole) anchors.known.set(name, match, name.length)
    return match
  } catch (error) {
    if (error instanceof IssuerKeyError) return { trusted: false, reason: 'chain', sentence: error.message, looked: [] }
    throw error
  }
}

const notListed = (sentence: string): NotTrusted => ({ trusted: false, reason: 'no-anchor', sentence, looked: [] })

type Query = Parameters<typeof matchChain>[2]

function judge(chain: readonly X509Certificate[], anchors: Anchors, query: Query): Match {
  const itself = listedSigner(chain, anchors, query)
  if (itself !== undefined && (itself.trusted || ENDS_SEARCH.has(itself.reason))) return itself
  const above = listedAuthority(chain, anchors, query)
  return !above.trusted && above.reason === 'no-anchor' && itself !== undefined ? itself : above
}

/** An authority above a listed signer cannot give back what the list has taken from the signer. */
const ENDS_SEARCH: ReadonlySet<NotTrusted['reason']> = new Set(['withdrawn', 'not-started', 'unknown-status'])

/** The answer about a signer that is listed itself. Undefined for any other. */
function listedSigner([leaf]: readonly X509Certificate[], anchors: Anchors, query: Query): Match | undefined {
  const facts = leaf === undefined ? undefined : factsOf(leaf.raw)
  if (leaf === undefined || facts === undefined) return undefined
  const same = anchors.byFingerprint.get(facts.fingerprint)
  if (same !== undefined) return direct([same], 'certificate', query)
  // Another certificate of a listed key: the listed one counts, because anybody can certify a foreign key.
  const sameKey = anchors.byKey.get(facts.key)
  return sameKey === undefined ? undefined : direct(sameKey, 'key', query)
}

function direct(
  listed: readonly Anchor[],
  by: 'certificate' | 'key',
  query: TrustQuery & { readonly purpose: CertificatePurpose },
): Match | undefined {
  // The certificate of an authority signs no documents, so it is no listed signer. Its chain is judged elsewhere.
  const signers = listed.filter((anchor) => certificateOf(anchor)?.ca !== true)
  const chosen = choose(
    signers.filter((anchor) => certificateOf(anchor) !== undefined),
    query,
  )
  const certificate = chosen.anchor && certificateOf(chosen.anchor)
  if (certificate !== undefined && chosen.anchor !== undefined)
    return trusted(by, verifyTrustedSigner(certificate, query), [certificate], chosen.found)
  // A bare key has no subject, no end and no use of its key: it vouches for nobody. But its withdrawal counts.
  const { anchor, looked } = { looked: [], ...choose(signers, query) }
  return anchor !== undefined || looked.length === 0 ? undefined : refused(looked, query)
}

function listedAuthority(chain: readonly X509Certificate[], anchors: Anchors, query: Query): Match {
  const all = candidatesOf(chain, anchors)
  if (all.size === 0) return notListed(NO_SERVICE)
  // An anchor for something else must not end a chain early. It only explains a refusal.
  const wanted = new Map([...all].filter(([, { services }]) => services.some((found) => !isElsewhere(found, query))))
  const candidates = wanted.size > 0 ? wanted : all
  const { path, jwk } = verifyCertificateChain(chain, { ...query, trustAnchors: [...candidates.keys()] })
  const end = path.at(-1)
  const facts = end === undefined ? undefined : factsOf(end.raw)
  const anchor = facts === undefined ? undefined : anchors.byFingerprint.get(facts.fingerprint)
  if (anchor === undefined) return notListed(NO_SERVICE)
  const chosen = choose([anchor], query)
  return chosen.anchor === undefined ? refused(chosen.looked, query) : trusted('chain', jwk, path, chosen.found)
}

const ELSEWHERE: ReadonlySet<ServiceFault | undefined> = new Set(['other-use', 'other-entity', 'other-type'])

const isElsewhere = (found: AnchorService, query: TrustQuery): boolean => ELSEWHERE.has(faultOf(found, query))

/** Anchors that a certificate of the chain may be, or may have been issued by. */
function candidatesOf(chain: readonly X509Certificate[], anchors: Anchors): Map<X509Certificate, Anchor> {
  const candidates = new Map<X509Certificate, Anchor>()
  const add = (listed: readonly Anchor[] = []) => {
    for (const anchor of listed) {
      const certificate = candidates.size < MAX_CANDIDATES ? certificateOf(anchor) : undefined
      if (certificate !== undefined) candidates.set(certificate, anchor)
    }
  }
  for (const [position, facts] of chain.map(({ raw }) => factsOf(raw)).entries()) {
    if (facts !== undefined) for (const listed of placesOf(facts, position, anchors)) add(listed)
  }
  return candidates
}

function placesOf(facts: CertificateFacts, position: number, anchors: Anchors): (readonly Anchor[] | undefined)[] {
  const { fingerprint, authorityKeyId, issuer } = facts
  // The signer's certificate is no authority of itself.
  const itself = position === 0 ? undefined : anchors.byFingerprint.get(fingerprint)
  return [
    itself === undefined ? undefined : [itself],
    authorityKeyId === undefined ? undefined : anchors.bySubjectKeyId.get(authorityKeyId),
    anchors.bySubject.get(issuer),
  ]
}

type Chosen =
  | { readonly anchor: Anchor; readonly found: AnchorService }
  | { readonly anchor: undefined; readonly looked: NotTrusted['looked'] }

/** The first service that counts, or all services with their faults. */
function choose(listed: readonly Anchor[], query: TrustQuery): Chosen {
  const looked: (AnchorService & { fault: ServiceFault })[] = []
  for (const anchor of listed) {
    for (const found of anchor.services) {
      const fault = faultOf(found, query)
      if (fault === undefined) return { anchor, found }
      looked.push({ ...found, fault })
    }
  }
  return { anchor: undefined, looked }
}

/** The refusal names the service that came closest: one of the right use, if there is one. */
function refused(looked: NotTrusted['looked'], query: TrustQuery): NotTrusted {
  const nearest = looked.find(({ fault }) => fault !== 'other-use') ?? looked[0]
  if (nearest === undefined) return notListed(NO_SERVICE)
  return { trusted: false, reason: nearest.fault, sentence: sentenceOf(nearest, nearest.fault, query), looked }
}

function trusted(by: Trusted['by'], jwk: Jwk, path: readonly X509Certificate[], found: AnchorService): Trusted {
  const { service, owner } = found
  const starts = [...path.map(({ validFrom }) => Date.parse(validFrom)), service.startsAt?.getTime() ?? 0]
  const ends = [
    ...path.map(({ validTo }) => Date.parse(validTo)),
    service.endsAt?.getTime() ?? Number.POSITIVE_INFINITY,
    owner.source.until.getTime(),
  ]
  return { trusted: true, by, jwk, path, found, from: Math.max(...starts), until: Math.min(...ends) }
}
