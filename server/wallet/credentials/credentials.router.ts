import { errors } from '../../errors.js'
import { paged } from '../../paging.js'
import { holderProcedure, router } from '../../trpc.js'
import { shownCredential } from './credential-json.js'
import { deleteWalletCredential, listWalletCredentials, readWalletCredential } from './credentials.contract.js'
import { claimsOf, openCredential } from './held.js'
import { statusesOf } from './status.js'

export const walletCredentialsRouter = router({
  list: holderProcedure
    .meta(listWalletCredentials.meta)
    .input(listWalletCredentials.input)
    .output(listWalletCredentials.output)
    .query(async ({ ctx, input }) => {
      const { deps } = ctx
      const rows = await paged(
        ctx,
        input,
        (take, after) => deps.stores.walletCredentials.list(input.holderId, take, after),
        (row) => row.id,
      )
      const held = await Promise.all(rows.map((row) => openCredential(deps, row)))
      const statuses = await statusesOf(deps, held)
      return held.map((credential, index) => shownCredential(credential, statuses[index] ?? 'unknown'))
    }),

  read: holderProcedure
    .meta(readWalletCredential.meta)
    .input(readWalletCredential.input)
    .output(readWalletCredential.output)
    .query(async ({ ctx: { deps }, input }) => {
      const row = await deps.stores.walletCredentials.find(input.holderId, input.credentialId)
      if (row === undefined) throw errors.credentialNotFound()
      const held = await openCredential(deps, row)
      const [status = 'unknown'] = await statusesOf(deps, [held])
      const claims = { ...claimsOf(held.format, held.compact) }
      return { ...shownCredential(held, status), claims, credential: held.compact }
    }),

  remove: holderProcedure
    .meta(deleteWalletCredential.meta)
    .input(deleteWalletCredential.input)
    .output(deleteWalletCredential.output)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      const { walletCredentials } = deps.stores
      const removed = await walletCredentials.remove(input.holderId, input.credentialId, caller.sub)
      if (!removed) throw errors.credentialNotFound()
    }),
})
