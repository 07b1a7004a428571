import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { AuditEvent } from '../../audit/store.js'
import type { Caller } from '../../auth/caller.js'
import type { Lists } from '../../database/replica/lists.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { Formats } from '../../formats/registry.js'
import type { Work } from '../../protocol/work.js'
import type { Issuance } from '../issuance/issuance.js'
import { assertSubject } from '../issuance/subject.js'
import type { createCredential } from './credentials.contract.js'
import { shownHistory } from './history/history.js'
import type { CredentialHistoryStore } from './history/store.js'
import { didIn, idOf } from './holder-binding.js'
import type { CredentialListStore } from './list/store.js'
import { createSignForCaller } from './sign.js'
import type { CredentialStore } from './store.js'

/** Dependencies of {@link createCredentials}. */
export interface CredentialsPorts {
  readonly store: Pick<CredentialStore, 'findOwned' | 'revoke'>
  readonly history: Pick<CredentialHistoryStore, 'find'>
  readonly lists: Lists<CredentialListStore>
  /** Audit events of a credential and of its offering, the newest first. */
  readonly eventsOf: (id: string, offeringId: string | null) => Promise<readonly AuditEvent[]>
  readonly issuance: Pick<Issuance, 'context' | 'issue' | 'shown'>
  readonly formats: Pick<Formats, 'issued' | 'named' | 'primary'>
  readonly resolver: Pick<DidResolver, 'resolve'>
  readonly clock: () => Date
}

export type Credentials = ReturnType<typeof createCredentials>

/** Reads and revokes stored credentials, and issues credentials without an offering. */
export function createCredentials(ports: CredentialsPorts) {
  const { store, history, lists, eventsOf, issuance, formats, resolver, clock } = ports
  const { context, issue, shown } = issuance

  return {
    lists,

    sign: createSignForCaller({ context, issue, formats, resolver }),

    /**
     * Issues a credential to its caller, in the primary format, without a key binding.
     *
     * @throws 400 for an invalid type, issuer or subject
     */
    async create(caller: Caller, request: z.output<typeof createCredential.input>, work: Work) {
      const subject = request.credential_subject
      const type = await context(request.type, request.issuerId, caller)
      await assertSubject(formats, type, subject, 'credential_subject', work)
      const subjectId = idOf(subject)
      const issued = await issue({
        context: type,
        subject,
        format: formats.primary,
        binding: { subjectId },
        owner: caller.sub,
        holderDid: didIn(subjectId),
        action: 'credential.issued',
      })
      if (issued === undefined) throw new Error('A standalone credential was not recorded.')
      return { id: issued.id, vc: issued.vc }
    },

    /** A credential of the caller. @throws 404 for an unknown credential, or a credential of another caller */
    async read({ sub, tokenDids }: Caller, id: string) {
      const credential = await store.findOwned(id, sub, tokenDids)
      if (credential === undefined) throw errors.credentialNotFound()
      return { id, ...shown(credential) }
    },

    /**
     * Revokes a credential with all its instances. A repeated call changes nothing.
     *
     * @param caller the user who revokes it; undefined for a client secret
     * @throws 404 for an unknown credential
     */
    async revoke(caller: Caller | undefined, id: string): Promise<void> {
      if (!(await store.revoke(id, clock(), caller?.sub ?? null))) throw errors.credentialNotFound()
    },

    /** The history of a credential, without its claims. @throws 404 for an unknown credential */
    async history(id: string) {
      const found = await history.find(id)
      if (found === undefined) throw errors.credentialNotFound()
      return shownHistory(found, await eventsOf(id, found.offeringId))
    },
  }
}
