import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { AuditEvent } from '../../audit/store.js'
import type { Caller } from '../../auth/caller.js'
import type { Lists } from '../../database/replica/lists.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { Formats } from '../../formats/registry.js'
import { dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import { type NameIndex, namesView } from '../../names/names.js'
import type { Work } from '../../protocol/work.js'
import type { Issuance } from '../issuance/issuance.js'
import { assertSubject } from '../issuance/subject.js'
import type { createCredential } from './credentials.contract.js'
import { shownHistory } from './history/history.js'
import type { CredentialHistoryStore } from './history/store.js'
import { didIn, idOf } from './holder-binding.js'
import type { CredentialListStore } from './list/store.js'
import { createSignForCaller } from './sign.js'
import type { revokeCredential } from './status.contract.js'
import { type StatusChange, statusOf } from './status.js'
import type { CredentialStore } from './store.js'

/** Dependencies of {@link createCredentials}. */
export interface CredentialsPorts {
  readonly store: Pick<CredentialStore, 'changeStatus' | 'expire' | 'findOwned' | 'findStatus'>
  readonly history: Pick<CredentialHistoryStore, 'find'>
  readonly lists: Lists<CredentialListStore>
  /** Audit events of a credential and of its offering, the newest first. */
  readonly eventsOf: (id: string, offeringId: string | null) => Promise<readonly AuditEvent[]>
  readonly issuance: Pick<Issuance, 'context' | 'issue' | 'shown'>
  readonly formats: Pick<Formats, 'issued' | 'named' | 'primary'>
  readonly resolver: Pick<DidResolver, 'resolve'>
  readonly names: NameIndex
  readonly clock: () => Date
}

export type Credentials = ReturnType<typeof createCredentials>

/** Reads stored credentials, changes their status, and issues credentials without an offering. */
export function createCredentials(ports: CredentialsPorts) {
  const { store, history, lists, eventsOf, issuance, formats, resolver, names, clock } = ports
  const { context, issue, shown } = issuance

  const tasks: readonly MaintenanceTask[] = [
    dueRows({ name: 'expire credentials', everyMs: 15_000, batch: store.expire }),
  ]

  return {
    tasks,
    lists,

    /** The hashes for the filters of a list by names. */
    wanted: names.wanted,

    sign: createSignForCaller({ context, issue, formats, resolver, names }),

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
        names: names.hashed(request),
        action: 'credential.issued',
      })
      if (issued === undefined) throw new Error('A standalone credential was not recorded.')
      return { id: issued.id, vc: issued.vc }
    },

    /** A credential of the caller. @throws 404 for an unknown credential, or a credential of another caller */
    async read({ sub, tokenDids }: Caller, id: string) {
      const credential = await store.findOwned(id, sub, tokenDids)
      if (credential === undefined) throw errors.credentialNotFound()
      return { id, ...shown(credential), ...namesView(credential.names) }
    },

    /**
     * Suspends, reinstates or revokes a credential with all its instances. A repeated call changes nothing.
     *
     * @param caller the user who changes it; undefined for a client secret
     * @throws 404 for an unknown credential, 409 if it is revoked or cannot be suspended
     */
    async changeStatus(
      caller: Caller | undefined,
      change: StatusChange,
      { id, reason, note }: z.output<typeof revokeCredential.input>,
    ): Promise<void> {
      const actor = caller?.sub ?? null
      const outcome = await store.changeStatus({ id, change, reason: reason ?? null, note, actor, now: clock() })
      if (outcome === 'unknown') throw errors.credentialNotFound()
      if (outcome === 'revoked') throw errors.credentialRevoked()
      if (outcome === 'not-suspendable') throw errors.credentialNotSuspendable()
    },

    /** The status of a credential, with the reason and the note of its last change. @throws 404 for an unknown credential */
    async status(id: string) {
      const found = await store.findStatus(id)
      if (found === undefined) throw errors.credentialNotFound()
      const { reason, note, supersededBy, supersededInstances } = found
      return {
        status: statusOf(found),
        ...(supersededBy === null ? {} : { supersededBy }),
        ...(supersededInstances === 0 ? {} : { supersededInstances }),
        ...(reason === null ? {} : { reason }),
        ...(note === undefined ? {} : { note }),
      }
    },

    /** The history of a credential, without its claims. @throws 404 for an unknown credential */
    async history(id: string) {
      const found = await history.find(id)
      if (found === undefined) throw errors.credentialNotFound()
      return shownHistory(found, await eventsOf(id, found.offeringId))
    },
  }
}
