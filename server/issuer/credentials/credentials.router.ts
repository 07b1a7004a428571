import { listed } from '../../api/paging.js'
import { changingLists, procedure, reading, router } from '../../api/trpc.js'
import { creatorIn } from '../../auth/rights.js'
import type { Formats } from '../../formats/registry.js'
import { createCredential, readCredential, signCredential } from './credentials.contract.js'
import type { Credentials } from './credentials.js'
import { readCredentialHistory } from './history/history.contract.js'
import { listCredentials } from './list/list.contract.js'
import { listedCredential } from './list/listed-credential.js'
import { readCredentialStatus, reinstateCredential, revokeCredential, suspendCredential } from './status.contract.js'

export const credentialsRouter = (formats: Formats, credentials: Credentials) =>
  router({
    create: procedure(createCredential)
      .use(changingLists)
      .mutation(({ ctx: { caller, work }, input }) => credentials.create(caller, input, work)),

    list: procedure(listCredentials)
      .use(reading(credentials.lists))
      .query(({ ctx, input }) =>
        listed(
          ctx,
          input,
          (store, part) =>
            store.page({ ...input, ...credentials.wanted(input), owner: creatorIn(ctx.reach, input.mine) }, part),
          listedCredential,
        ),
      ),

    history: procedure(readCredentialHistory).query(({ input }) => credentials.history(input.id)),

    read: procedure(readCredential).query(({ ctx: { caller }, input }) => credentials.read(caller, input.id)),

    revoke: procedure(revokeCredential)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => credentials.changeStatus(caller, 'revoke', input)),

    suspend: procedure(suspendCredential)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => credentials.changeStatus(caller, 'suspend', input)),

    reinstate: procedure(reinstateCredential)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => credentials.changeStatus(caller, 'reinstate', input)),

    status: procedure(readCredentialStatus).query(({ input }) => credentials.status(input.id)),

    sign: procedure(signCredential(formats))
      .use(changingLists)
      .mutation(({ ctx: { caller, work }, input }) => credentials.sign(caller, input, work)),
  })
