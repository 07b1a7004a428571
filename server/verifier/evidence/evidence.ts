import { errors } from '../../api/errors.js'
import { mayActOn, type Reach } from '../../auth/rights.js'
import { dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import { createMakeEvidence, type MakeEvidencePorts } from './make.js'
import type { Evidence } from './package.js'
import type { EvidenceStore } from './store.js'

/** The reader of evidence. */
export interface EvidenceReader {
  /** The sessions whose evidence the reader may read. */
  readonly reach: Reach
  /** Whether the reader gets no content (HEAD). Then the read is no audit event. */
  readonly onlyLooks: boolean
}

/** Dependencies of {@link createEvidence}. */
export interface EvidencePorts extends MakeEvidencePorts {
  readonly store: EvidenceStore
}

export type EvidenceKeeping = ReturnType<typeof createEvidence>

/** Evidence of answers to requests, for an auditor. */
export function createEvidence({ store, config, formats, clock }: EvidencePorts) {
  const tasks: readonly MaintenanceTask[] = [
    dueRows({ name: 'remove evidence', everyMs: 60_000, batch: store.removeExpired }),
  ]

  return {
    tasks,

    ...createMakeEvidence({ config, formats, clock }),

    /**
     * The evidence of a session, for callers who may read its result. Each read is an audit event.
     *
     * @throws 403 for a session that the reader does not reach, 404 for an unknown session, 409 before the session ends and if it has
     *   no evidence, 410 after the evidence expired.
     */
    async read({ reach, onlyLooks }: EvidenceReader, sessionId: string): Promise<Evidence> {
      const state = await store.state(sessionId)
      if (state === undefined) throw errors.noEvidenceSession()
      if (!mayActOn(reach, state.createdBy)) throw errors.evidenceDenied()
      if (state.endedAt === null) throw errors.evidenceNotReady()
      if (state.expiresAt === null && state.evidenceSeconds === null) throw errors.noEvidence()
      const reader = onlyLooks ? undefined : { actor: reach.sub }
      const found = await store.read(sessionId, clock(), reader)
      if (found === undefined) throw errors.evidenceGone()
      return { ...found.evidence, keptUntil: found.expiresAt.toISOString() }
    },
  }
}
