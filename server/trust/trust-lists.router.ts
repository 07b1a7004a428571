import { procedure, router } from '../api/trpc.js'
import { explainTrust } from './explain.contract.js'
import type { Explain } from './explain.js'
import type { PublishedLists } from './published/publication.js'
import { publishedTrustList } from './published/published.contract.js'
import {
  addTrustList,
  listTrustListEntities,
  listTrustLists,
  readTrustList,
  refreshTrustList,
  removeTrustList,
} from './trust-lists.contract.js'
import type { TrustLists } from './trust-lists.js'

export const trustListsRouter = (lists: TrustLists, { explain }: Explain) =>
  router({
    list: procedure(listTrustLists).query(() => lists.list()),
    add: procedure(addTrustList).mutation(({ ctx: { caller }, input }) => lists.add(input, caller?.sub ?? null)),
    read: procedure(readTrustList).query(({ input }) => lists.read(input.id)),
    refresh: procedure(refreshTrustList).mutation(({ input }) => lists.refresh(input.id)),
    remove: procedure(removeTrustList).mutation(({ ctx: { caller }, input }) =>
      lists.remove(input.id, caller?.sub ?? null),
    ),
    entities: procedure(listTrustListEntities).query(({ input }) => lists.entities(input)),
    explain: procedure(explainTrust).mutation(({ ctx: { work }, input }) => explain(input, work)),
  })

/** The lists that this service publishes. */
export const publishedTrustListsRouter = (published: PublishedLists) =>
  router({
    content: procedure(publishedTrustList).query(({ ctx: { request }, input }) =>
      published.reply(input.name, request.headers['if-none-match']),
    ),
  })
