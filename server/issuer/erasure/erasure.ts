import { errors, type ServiceError } from '../../api/errors.js'
import { dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import type { Eraser, ErasureStore } from './store.js'

/** Dependencies of {@link createErasure}. */
export interface ErasurePorts {
  readonly store: ErasureStore
  readonly clock: () => Date
}

export type Erasure = ReturnType<typeof createErasure>

/** The answer to an erasure. */
const erased = (id: string, at: Date | undefined, unknown: () => ServiceError) => {
  if (at === undefined) throw unknown()
  return { id, claimsErasedAt: at.toISOString() }
}

/** Erases claims: on request, and when their retention ends. */
export function createErasure({ store, clock }: ErasurePorts) {
  const tasks: readonly MaintenanceTask[] = [
    dueRows({ name: 'erase claims of credentials', everyMs: 15_000, batch: store.eraseDueCredentials }),
    dueRows({ name: 'erase claims of offerings', everyMs: 15_000, batch: store.eraseDueOfferings }),
    dueRows({ name: 'remove credential records', everyMs: 600_000, batch: store.removeDueRecords }),
  ]
  return {
    tasks,

    /** Erases the claims of a credential. @throws 404 for an unknown credential, or a credential of another person */
    credential: async (by: Eraser, id: string) =>
      erased(id, await store.eraseCredential(id, by, clock()), errors.credentialNotFound),

    /** Erases the claims of an offering. @throws 404 for an unknown offering */
    offering: async (actor: string | null, id: string) =>
      erased(id, await store.eraseOffering(id, actor, clock()), errors.offeringNotFound),

    /** Erases the claims of a credential offer. @throws 404 for an unknown offer, or an offer of another caller */
    credentialOffer: async (by: Eraser, id: string) =>
      erased(id, await store.eraseCredentialOffer(id, by, clock()), errors.offeringNotFound),
  }
}
