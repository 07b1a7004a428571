import type { ListPurpose } from '../../config/trust-lists.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import type { ListedChain, ListedEntity, ListedQuery, ListedTrust } from '../../protocol/issuer-keys/listed-trust.js'
import type { Jwk } from '../../protocol/jose/jwk.js'
import type { Anchors } from '../../protocol/trust-lists/match/anchors.js'
import type { AnchorEntity, Match, Trusted } from '../../protocol/trust-lists/match/answers.js'
import { matchChain } from '../../protocol/trust-lists/match/match.js'
import type { ServiceUse } from '../../protocol/trust-lists/trust-list.js'
import { nameOf } from '../documents.js'
import { statusOf } from './list-state.js'
import type { LiveList } from './live-list.js'

/** The lists of one purpose, as they are now. */
export interface PurposeLists {
  readonly purpose: ListPurpose
  readonly lists: readonly LiveList[]
  readonly anchors: Anchors
}

/** Who is looked up, as the subject of a sentence. */
const WHO: Readonly<Record<ListPurpose, string>> = {
  credentials: 'Issuer',
  status: 'Signer of the status list',
  verifiers: 'Verifier',
  registrars: 'Registrar',
  wallets: 'Wallet provider',
}

const covers = ({ definition: { types } }: LiveList, asked: readonly string[]): boolean =>
  types === undefined || asked.some((type) => types.includes(type))

/** A list in the sentence of a refusal, with the reason if it cannot be used. */
const named = (list: LiveList, now: Date): string => {
  const { state, reason } = statusOf(list, now)
  return state === 'unusable' ? `${nameOf(list.definition)} (${reason})` : nameOf(list.definition)
}

/** Limit of the lists that a sentence names. */
const MAX_NAMED = 3

/** Says on which lists a signer was looked up without success. Lists that cannot be used come first. */
export function absentSentence({ purpose, lists }: PurposeLists, types: readonly string[], now: Date): string {
  const who = WHO[purpose]
  const asked = lists.filter((list) => covers(list, types))
  const [only] = asked
  if (only === undefined)
    return `${who} is on no trusted list: no list is for the type ${types[0] ?? 'of the credential'}.`
  if (asked.length === 1) return `${who} is not on the list ${named(only, now)}.`
  const order = asked.toSorted(
    (a, b) => Number(statusOf(b, now).check !== undefined) - Number(statusOf(a, now).check !== undefined),
  )
  const shown = order.slice(0, MAX_NAMED).map((list) => named(list, now))
  const more = asked.length > MAX_NAMED ? `, and ${asked.length - MAX_NAMED} more` : ''
  return `${who} is on none of the ${asked.length} lists: ${shown.join(', ')}${more}.`
}

/** The types that are tried. Without any, only lists and services without types count. */
const triedTypes = (types: readonly string[]): readonly (string | undefined)[] =>
  types.length === 0 ? [undefined] : types

/** The highest number of types of a credential. Each type is looked up. */
const MAX_TYPES = 32

/**
 * Looks a chain up. The same entity must be trusted for each of the types, because a relying party may accept the credential for any
 * of them. The answer is the first refusal, or the answer for the first type.
 */
export function lookUp(
  anchors: Anchors,
  x5c: unknown,
  query: ListedQuery & { readonly use: ServiceUse; readonly entity?: AnchorEntity },
): Match {
  const { types = [], ...rest } = query
  const { withoutRoots, ...asked } = rest
  if (types.length > MAX_TYPES) {
    const sentence = `The credential has more than ${MAX_TYPES} types.`
    return { trusted: false, reason: 'chain', sentence, looked: [] }
  }
  let first: Trusted | undefined
  for (const type of triedTypes(types)) {
    const entity = asked.entity ?? first?.found.owner
    const match = matchChain(x5c, anchors, { ...asked, entity, withoutRoots: withoutRoots === true, type })
    if (!match.trusted) return match
    first ??= match
  }
  if (first === undefined) throw new Error('No type was tried.')
  return first
}

/** Whether the entity has a service whose certificates sign status lists only. */
const hasStatusService = ({ entity }: AnchorEntity): boolean =>
  entity.services.some(({ uses }) => uses.includes('status'))

function entityOf(anchors: Anchors, { found: { owner } }: Trusted, types: readonly string[]): ListedEntity {
  return {
    list: owner.source.id,
    name: Object.values(owner.entity.names)[0],
    statusSigner(x5c, query): Jwk {
      // An entity without a service for status signs status lists like credentials.
      const use = hasStatusService(owner) ? 'status' : 'issuance'
      const match = lookUp(anchors, x5c, { ...query, purpose: 'credential', use, types, entity: owner })
      if (match.trusted) return match.jwk
      if (match.reason !== 'no-anchor') throw new IssuerKeyError(match.sentence)
      const name = Object.values(owner.entity.names)[0] ?? 'the issuer'
      throw new IssuerKeyError(`The signer is no service of ${name} on the list ${owner.source.id}.`)
    },
  }
}

/** Whether two addresses are the same, however they are written. */
const isSameAddress = (a: string, b: string): boolean =>
  URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href

/** Where the lists of this process are. They change while the process runs. */
export interface ListedSource {
  readonly current: (purpose: ListPurpose) => PurposeLists
  /** The anchors of one list, in parts. */
  readonly anchorsOf: (id: string) => readonly Anchors[]
}

/** The trust of this process in the lists of one purpose, as they are at the moment of a call. */
export function createListedTrust(
  purpose: ListPurpose,
  use: ServiceUse,
  { current, anchorsOf }: ListedSource,
): ListedTrust {
  /** A VICAL is no list of ETSI. */
  const listAt = (address: string): LiveList | undefined =>
    current(purpose).lists.find(({ definition: { kind, url } }) => kind !== 'vical' && isSameAddress(url, address))

  return {
    exists: () => current(purpose).lists.length > 0,
    reads: (address) => listAt(address) !== undefined,
    keyOn(address, x5c, query): Jwk | undefined {
      const list = listAt(address)
      if (list === undefined) return undefined
      for (const part of anchorsOf(list.id)) {
        const match = lookUp(part, x5c, { ...query, use })
        if (match.trusted) return match.jwk
      }
      return undefined
    },
    find(x5c, query): ListedChain {
      const lists = current(purpose)
      const { types = [], now } = query
      const match = lookUp(lists.anchors, x5c, { ...query, use })
      if (!match.trusted) {
        if (match.reason === 'chain') throw new IssuerKeyError(match.sentence)
        const absent = absentSentence(lists, types, now)
        throw new IssuerKeyError(match.reason === 'no-anchor' ? absent : `${absent} ${match.sentence}`)
      }
      const [leaf] = match.path
      if (leaf === undefined) throw new IssuerKeyError('A trusted list has the key of the signer, but no certificate.')
      return { leaf, path: match.path, jwk: match.jwk, listed: entityOf(lists.anchors, match, types) }
    },
  }
}
