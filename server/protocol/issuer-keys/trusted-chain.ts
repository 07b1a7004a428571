import type { X509Certificate } from 'node:crypto'
import type { Jwk } from '../jose/jwk.js'
import { LruMap } from '../jose/lru-map.js'
import { readX5c, verifyCertificateChain } from './certificate-chain.js'
import { IssuerKeyError } from './issuer-key-error.js'
import type { ListedEntity, ListedTrust } from './listed-trust.js'

/** A chain that leads to a trust anchor. */
export interface TrustedChain {
  readonly leaf: X509Certificate
  /** From the signer's certificate to the anchor. */
  readonly path: readonly X509Certificate[]
  readonly jwk: Jwk
  /** Present if a trusted list vouches for the signer, and no anchor does. */
  readonly listed?: ListedEntity
}

/** A verified chain, and the period in which the result is valid, in milliseconds since the epoch. */
interface KnownChain extends TrustedChain {
  readonly from: number
  readonly until: number
}

/**
 * Limit of cached chains. A small limit is enough: an issuer or wallet provider has one chain for all of its
 * credentials.
 */
const MAX_CHAINS = 500
const MAX_CHARACTERS = 1_048_576
/**
 * The cache of verified chains, for each list of trust anchors. A chain is cached only if it contains no certificates
 * after the anchor. Otherwise anybody could fill the cache by appending certificates to the chain of somebody else.
 */
const known = new WeakMap<readonly X509Certificate[], LruMap<string, KnownChain>>()

function chainsTo(anchors: readonly X509Certificate[]): LruMap<string, KnownChain> {
  const chains = known.get(anchors) ?? new LruMap<string, KnownChain>(MAX_CHAINS, MAX_CHARACTERS)
  known.set(anchors, chains)
  return chains
}

/** The anchors that a chain may lead to, and how it is verified. */
export type ChainIo = Parameters<typeof verifyCertificateChain>[1] & {
  /** The trusted lists that a chain may lead to if it leads to no anchor. */
  readonly lists?: ListedTrust | undefined
  /** The types of the credential, for lists that are limited to types. */
  readonly types?: readonly string[] | undefined
}

/** Whether any chain can be trusted: there is an anchor or a trusted list. */
export const isAnchored = ({ trustAnchors, lists }: Pick<ChainIo, 'trustAnchors' | 'lists'>): boolean =>
  trustAnchors.length > 0 || lists?.exists() === true

/**
 * Verifies the chain in an `x5c`: to an anchor, or to a service of a trusted list. Throws IssuerKeyError. Its sentence is
 * about the lists if there are any.
 */
export function trustedChain(x5c: unknown, io: ChainIo): TrustedChain {
  const { lists, trustAnchors, now } = io
  if (lists?.exists() !== true) return anchoredChain(x5c, io)
  if (trustAnchors.length === 0) return lists.find(x5c, io)
  const chains = onListsOnly.get(trustAnchors) ?? new LruMap<string, number>(MAX_CHAINS, MAX_CHARACTERS)
  onListsOnly.set(trustAnchors, chains)
  const key = keyOfChain(x5c, io)
  const since = chains.get(key)
  const isKnown = since !== undefined && since <= now.getTime() && now.getTime() < since + LISTED_MS
  if (!isKnown) {
    try {
      return anchoredChain(x5c, io)
    } catch (thrown) {
      if (!(thrown instanceof IssuerKeyError)) throw thrown
    }
  }
  const listed = lists.find(x5c, io)
  if (!isKnown) chains.set(key, now.getTime(), key.length)
  return listed
}

/**
 * Chains that no anchor vouches for, but a list, with the time when this was found. Their verification against the anchors is
 * not repeated for a while. Only lists put chains in, so strangers cannot fill the cache.
 */
const onListsOnly = new WeakMap<readonly X509Certificate[], LruMap<string, number>>()
/** A certificate may become valid in the meantime, so that an anchor vouches for the chain too. */
const LISTED_MS = 60_000

const keyOfChain = (x5c: unknown, { purpose, withoutRoots }: ChainIo): string =>
  `${purpose} ${withoutRoots === true} ${JSON.stringify(x5c)}`

/**
 * Verifies the chain in an `x5c` with `verifyCertificateChain`. The result is cached as long as all certificates of the
 * chain are valid. Throws IssuerKeyError.
 */
function anchoredChain(x5c: unknown, io: ChainIo): TrustedChain {
  const chains = chainsTo(io.trustAnchors)
  const key = keyOfChain(x5c, io)
  const before = chains.get(key)
  if (before !== undefined && before.from <= io.now.getTime() && io.now.getTime() <= before.until) return before
  const sent = readX5c(x5c)
  const chain = verifyCertificateChain(sent, io)
  if (!sent.every(({ raw }, at) => chain.path[at]?.raw.equals(raw))) return chain
  const from = Math.max(...chain.path.map(({ validFrom }) => Date.parse(validFrom)))
  const until = Math.min(...chain.path.map(({ validTo }) => Date.parse(validTo)))
  chains.set(key, { ...chain, from, until }, key.length)
  return chain
}
