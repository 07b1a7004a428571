import { errors } from '../../errors.js'
import type { Formats } from '../../formats/registry.js'
import { paged } from '../../paging.js'
import { changingLists, listing, procedure, router } from '../../trpc.js'
import { shownCredential } from './credential-json.js'
import { deleteWalletCredential, listWalletCredentials, readWalletCredential } from './credentials.contract.js'
import { openCredential } from './held.js'
import { statusesOf } from './status.js'

export const walletCredentialsRouter = (formats: Formats) => {
  const listContract = listWalletCredentials(formats)
  const readContract = readWalletCredential(formats)
  return router({
    list: procedure(listContract)
      .use(listing)
      .query(async ({ ctx, input }) => {
        const { deps } = ctx
        const rows = await paged(
          ctx,
          input,
          ({ walletCredentials }, part) => walletCredentials.list(input.holderId, part),
          (row) => row,
        )
        const held = await Promise.all(rows.map((row) => openCredential(deps, row)))
        const statuses = await statusesOf(deps, held)
        return held.map((credential, index) => shownCredential(credential, statuses[index] ?? 'unknown'))
      }),

    read: procedure(readContract).query(async ({ ctx: { deps }, input }) => {
      const row = await deps.stores.walletCredentials.find(input.holderId, input.credentialId)
      if (row === undefined) throw errors.credentialNotFound()
      const held = await openCredential(deps, row)
      const [status = 'unknown'] = await statusesOf(deps, [held])
      const claims = { ...(await deps.formats.named(held.format).holding.claimsOf(held.compact)) }
      return { ...shownCredential(held, status), claims, credential: held.compact }
    }),

    remove: procedure(deleteWalletCredential)
      .use(changingLists)
      .mutation(async ({ ctx: { deps, caller }, input }) => {
        const { walletCredentials } = deps.stores
        const removed = await walletCredentials.remove(input.holderId, input.credentialId, caller.sub)
        if (!removed) throw errors.credentialNotFound()
      }),
  })
}
