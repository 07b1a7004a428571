import { listed } from '../../api/paging.js'
import { changingLists, procedure, reading, router } from '../../api/trpc.js'
import {
  addTrustedIssuer,
  listTrustedIssuers,
  readCredentialTrust,
  removeTrustedIssuer,
} from './trusted-issuers.contract.js'
import { shownTrustedIssuer, type TrustedIssuers } from './trusted-issuers.js'

export const trustedIssuersRouter = ({ lists, add, remove, configured }: TrustedIssuers) =>
  router({
    list: procedure(listTrustedIssuers)
      .use(reading(lists))
      .query(({ ctx, input }) => listed(ctx, input, (store, part) => store.page(part), shownTrustedIssuer)),

    add: procedure(addTrustedIssuer)
      .use(changingLists)
      .mutation(async ({ ctx: { caller }, input }) => shownTrustedIssuer(await add(input, caller?.sub ?? null))),

    remove: procedure(removeTrustedIssuer)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => remove(input.id, caller?.sub ?? null)),

    configured: procedure(readCredentialTrust).query(() => configured()),
  })
