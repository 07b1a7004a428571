import type { z } from 'zod'
import type { RouteAccess } from '../api/contract.js'
import type { RequestAccess } from '../auth/request-access.js'
import { creatorIn, type Sender } from '../auth/rights.js'
import { listCredentialOfferSessions } from '../issuer/credential-offers/credential-offers.contract.js'
import { listCredentials } from '../issuer/credentials/list/list.contract.js'
import { listSchemas } from '../issuer/schemas/list/list.contract.js'
import { type NameIndex, namesView } from '../names/names.js'
import { listVerificationSessions } from '../verifier/sessions/verification-sessions.contract.js'
import type { VerificationSessions } from '../verifier/sessions/verification-sessions.js'
import { listVpQueries } from '../verifier/vp-queries/vp-queries.contract.js'
import { listHolders } from '../wallet/holders/holders.contract.js'
import { FOUND_KINDS, FOUND_OF_KIND, type FoundKind, type search } from './search.contract.js'
import type { FoundThing, Searched, SearchStore } from './store.js'

type Answer = z.input<typeof search.output>

/** The list of each kind. A sender may search a kind if the sender may call its list. */
const LISTS = {
  type: listSchemas,
  offer: listCredentialOfferSessions,
  credential: listCredentials,
  request: listVerificationSessions,
  wallet: listHolders,
  vpQuery: listVpQueries,
} as const satisfies Record<FoundKind, { readonly meta: { readonly rest: { readonly access: RouteAccess } } }>

/** The kinds that a sender may search, each limited to the records that the sender reaches. */
function searchedBy(sender: Sender, access: Pick<RequestAccess, 'mayCall' | 'reach'>): Searched {
  const may = (kind: FoundKind) => access.mayCall(sender, LISTS[kind].meta.rest.access)
  const issuing = { creator: creatorIn(access.reach('issuer', sender)) }
  const verifying = { creator: creatorIn(access.reach('verifier', sender)) }
  const { caller } = sender
  return {
    ...(may('type') ? { type: {} } : {}),
    ...(may('offer') ? { offer: issuing } : {}),
    ...(may('credential') ? { credential: issuing } : {}),
    ...(may('request') ? { request: verifying } : {}),
    ...(caller !== undefined && may('wallet') ? { wallet: { creator: caller.sub } } : {}),
    ...(may('vpQuery') ? { vpQuery: {} } : {}),
  }
}

const shown = (
  { kind, id, type, name, names, dcqlQuery, createdAt }: FoundThing,
  asksOf: SearchPorts['asksOf'],
): Answer['items'][number] => ({
  kind,
  id,
  ...(type === null ? {} : { type }),
  ...(name === null ? {} : { name }),
  ...namesView(names),
  ...(dcqlQuery === null ? {} : { asks: asksOf(dcqlQuery) }),
  createdAt: createdAt.toISOString(),
})

/** Dependencies of {@link createSearch}. */
export interface SearchPorts {
  readonly store: SearchStore
  readonly names: Pick<NameIndex, 'wanted'>
  /** Returns the types and claims that a request asks for, without the values that it requires. */
  readonly asksOf: VerificationSessions['asksOf']
}

export type Search = ReturnType<typeof createSearch>

/** Finds things by id, reference, label and name. */
export function createSearch({ store, names, asksOf }: SearchPorts) {
  return {
    /** Finds the things that the sender may list. */
    async find(q: string, sender: Sender, access: Pick<RequestAccess, 'mayCall' | 'reach'>): Promise<Answer> {
      const text = q.trim()
      const sought = { text, ...names.wanted({ reference: text, label: text }) }
      const found = await store.find(searchedBy(sender, access), sought, FOUND_OF_KIND + 1)
      const of = (kind: FoundKind) => found.filter((thing) => thing.kind === kind)
      return {
        items: FOUND_KINDS.flatMap((kind) => of(kind).slice(0, FOUND_OF_KIND)).map((thing) => shown(thing, asksOf)),
        more: FOUND_KINDS.filter((kind) => of(kind).length > FOUND_OF_KIND),
      }
    },
  }
}
