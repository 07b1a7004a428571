import { listed } from '../../api/paging.js'
import { changingLists, procedure, reading, router } from '../../api/trpc.js'
import { listKeyProviders, listSigningKeys, rotateIssuerKey, rotateVerifierKey } from './signing-keys.contract.js'
import type { SigningKeys } from './signing-keys.js'

export const signingKeysRouter = (keys: SigningKeys) =>
  router({
    list: procedure(listSigningKeys)
      .use(reading(keys.lists))
      .query(({ ctx, input }) => {
        const { caller, client, access } = ctx
        const filter = keys.filterOf(input, { caller, client }, access)
        return listed(
          ctx,
          input,
          (store, part) => store.page(filter, part),
          (row) => keys.shown(row, caller),
        )
      }),

    providers: procedure(listKeyProviders).query(async ({ ctx: { caller } }) => ({
      items: await keys.providers(caller),
    })),

    rotateIssuer: procedure(rotateIssuerKey)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => keys.rotate('issuer', input, caller)),

    rotateVerifier: procedure(rotateVerifierKey)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => keys.rotate('verifier', input, caller)),
  })
