import type { PartitionPlan } from '../../maintenance/partitions/task.js'
import { CLOCK_SKEW_SECONDS, dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import type { NonceMembers } from './profiles/profile.js'
import { CODE_SECONDS, NONCE_SECONDS, type Seals } from './sealed.js'
import type { Openid4vciStore } from './store.js'
import { PROOF_ROW_SECONDS } from './used-once-store.js'

/** Dependencies of {@link createNonces}. */
export interface NoncesPorts {
  readonly seals: Pick<Seals, 'nonce'>
  readonly store: Pick<Openid4vciStore, 'removeNonces'>
  readonly partitionTask: (plan: PartitionPlan) => MaintenanceTask
}

export type Nonces = ReturnType<typeof createNonces>

/** Nonces for key proofs (OpenID4VCI 1.0 §7). A nonce is made on request. A nonce is stored only when it is used. */
export function createNonces({ seals, store, partitionTask }: NoncesPorts) {
  /**
   * A row marks a nonce, a proof or a code as used. The row stays until the nonce, proof or code has expired by the clock of
   * every process.
   */
  const tasks: readonly MaintenanceTask[] = [
    partitionTask({
      table: 'used_nonces',
      step: { hours: 1 },
      ahead: 24,
      writesAheadSeconds: Math.max(CODE_SECONDS, PROOF_ROW_SECONDS),
      droppable: async () => true,
    }),
    dueRows({
      name: 'remove used nonces',
      everyMs: 60_000,
      seconds: CLOCK_SKEW_SECONDS,
      batch: store.removeNonces,
    }),
  ]
  /** A fresh nonce with its lifetime, for answers of drafts that contain a nonce (draft 13 §6.2, §7.3). */
  const members: NonceMembers = () => ({ c_nonce: seals.nonce(), c_nonce_expires_in: NONCE_SECONDS })
  return {
    tasks,
    members,
    /** A fresh `c_nonce`. */
    fresh: (): string => seals.nonce(),
  }
}
