import { procedure, router } from '../api/trpc.js'
import { search } from './search.contract.js'
import type { Search } from './search.js'

export const searchRouter = ({ find }: Search) =>
  router({
    find: procedure(search).query(({ ctx: { caller, client, access }, input: { q } }) =>
      find(q, { caller, client }, access),
    ),
  })
