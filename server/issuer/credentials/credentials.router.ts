import { errors } from '../../errors.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Binding } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import { listed } from '../../paging.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { changingLists, listing, procedure, router } from '../../trpc.js'
import { issuabilityOf } from '../issuance/configurations.js'
import { holderBinding } from '../issuance/holder-binding.js'
import { issueToCaller } from '../issuance/issue.js'
import { issuanceContext } from '../issuance/issuer-context.js'
import type { IssuanceContext } from '../issuance/store.js'
import { assertSubject } from '../issuance/subject.js'
import { createCredential, readCredential, revokeCredential, signCredential } from './credentials.contract.js'
import { readCredentialHistory } from './history/history.contract.js'
import { historyOf } from './history/history.js'
import { listCredentials } from './list/list.contract.js'
import { listedCredential } from './list/listed-credential.js'

/** A subject may name itself by its `id`. */
const idOf = (subject: Readonly<Record<string, unknown>>) => (typeof subject.id === 'string' ? subject.id : undefined)

const didIn = (value: string | undefined) => (value?.startsWith('did:') === true ? value : undefined)

/** @throws 400 where the type is not issued in the format, or there must be a holder. */
function assertSignable({ name, issuing }: IssuedFormat, holder: string | undefined, context: IssuanceContext): void {
  const lacking = issuing.lacks(issuabilityOf(context))
  if (lacking !== undefined) throw errors.badRequest(`format ${name} needs ${lacking}`)
  if (issuing.needsHolder && holder === undefined) throw errors.badRequest(`holder must be given with format ${name}`)
}

/** @throws 400 for a holder whose key the format cannot hold. */
async function assertHolderKey({ issuing }: IssuedFormat, { holderKey }: Binding): Promise<void> {
  if (holderKey === undefined || !('kty' in holderKey)) return
  try {
    await issuing.checkHolderKey?.(holderKey)
  } catch (thrown) {
    if (!(thrown instanceof CredentialError)) throw thrown
    throw errors.badRequest(`holder cannot have it: ${thrown.message}`)
  }
}

export const credentialsRouter = (formats: Formats) => {
  const signContract = signCredential(formats)
  return router({
    create: procedure(createCredential)
      .use(changingLists)
      .mutation(async ({ ctx: { deps, caller, work }, input }) => {
        const context = await issuanceContext(deps, input.type, input.issuerId, caller)
        await assertSubject(deps.formats, context, input.credential_subject, 'credential_subject', work)
        const subjectId = idOf(input.credential_subject)
        const issued = await issueToCaller(deps, {
          context,
          subject: input.credential_subject,
          format: deps.formats.primary,
          binding: { subjectId },
          owner: caller.sub,
          holderDid: didIn(subjectId),
          action: 'credential.issued',
        })
        if (issued === undefined) throw new Error('A standalone credential was not recorded.')
        return { id: issued.id, vc: issued.vc }
      }),

    list: procedure(listCredentials)
      .use(listing)
      .query(({ ctx, input }) =>
        listed(ctx, input, ({ credentialList }, part) => credentialList.page(input, part), listedCredential),
      ),

    history: procedure(readCredentialHistory).query(({ ctx: { deps }, input }) => historyOf(deps, input.id)),

    read: procedure(readCredential).query(async ({ ctx: { deps, caller }, input }) => {
      const credential = await deps.stores.credentials.findOwned(input.id, caller.sub, caller.tokenDids)
      if (credential === undefined) throw errors.credentialNotFound()
      return credential
    }),

    revoke: procedure(revokeCredential)
      .use(changingLists)
      .mutation(async ({ ctx: { deps, caller }, input }) => {
        const exists = await deps.stores.credentials.revoke(input.id, deps.clock(), caller?.sub ?? null)
        if (!exists) throw errors.credentialNotFound()
      }),

    sign: procedure(signContract)
      .use(changingLists)
      .mutation(async ({ ctx: { deps, caller, work }, input }) => {
        const context = await issuanceContext(deps, input.type, input.issuerId, caller)
        const format = deps.formats.named(input.format)
        assertSignable(format, input.holder, context)
        await assertSubject(deps.formats, context, input.credential_subject, 'credential_subject', work)
        const binding = await holderBinding(deps, input.holder, idOf(input.credential_subject))
        await assertHolderKey(format, binding)
        const issued = await issueToCaller(deps, {
          context,
          subject: input.credential_subject,
          format,
          binding,
          owner: caller.sub,
          holderDid: didIn(binding.subjectId),
          action: 'credential.signed',
        })
        if (issued === undefined) throw new Error('A signed credential was not recorded.')
        return { id: issued.id, format: input.format, credential: issued.compact }
      }),
  })
}
