import { listed } from '../../api/paging.js'
import { changingLists, listing, procedure, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { createCredential, readCredential, revokeCredential, signCredential } from './credentials.contract.js'
import { readCredentialHistory } from './history/history.contract.js'
import { historyOf } from './history/history.js'
import { issueStandalone } from './issue.js'
import { listCredentials } from './list/list.contract.js'
import { listedCredential } from './list/listed-credential.js'
import { ownCredential } from './read.js'
import { revoke } from './revoke.js'
import { signForCaller } from './sign.js'

export const credentialsRouter = (formats: Formats) =>
  router({
    create: procedure(createCredential)
      .use(changingLists)
      .mutation(({ ctx: { deps, caller, work }, input }) => issueStandalone(deps, caller, input, work)),

    list: procedure(listCredentials)
      .use(listing)
      .query(({ ctx, input }) =>
        listed(ctx, input, ({ credentialList }, part) => credentialList.page(input, part), listedCredential),
      ),

    history: procedure(readCredentialHistory).query(({ ctx: { deps }, input }) => historyOf(deps, input.id)),

    read: procedure(readCredential).query(({ ctx: { deps, caller }, input }) => ownCredential(deps, caller, input.id)),

    revoke: procedure(revokeCredential)
      .use(changingLists)
      .mutation(({ ctx: { deps, caller }, input }) => revoke(deps, caller, input.id)),

    sign: procedure(signCredential(formats))
      .use(changingLists)
      .mutation(({ ctx: { deps, caller, work }, input }) => signForCaller(deps, caller, input, work)),
  })
