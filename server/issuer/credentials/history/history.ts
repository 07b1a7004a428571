import type { z } from 'zod'
import { auditEvent } from '../../../audit/audit-event.js'
import type { AuditEvent } from '../../../audit/store.js'
import { listedCredential } from '../list/listed-credential.js'
import { statusOf } from '../status.js'
import type { readCredentialHistory } from './history.contract.js'
import type { CredentialWithInstances } from './store.js'

/** The history of a credential as the API shows it, without its claims. */
export const shownHistory = (
  found: CredentialWithInstances,
  events: readonly AuditEvent[],
): z.input<typeof readCredentialHistory.output> => ({
  credential: listedCredential(found),
  instances: (found.instances ?? []).map(({ revokedAt, suspendedAt, ...instance }) => ({
    ...instance,
    status: statusOf({ revokedAt, suspendedAt }),
    ...(revokedAt === null ? {} : { revokedAt }),
    ...(suspendedAt === null ? {} : { suspendedAt }),
  })),
  attestations: (found.attestations ?? []).map(({ failedAt, failure, endsAt, invalidAt, ...attestation }) => ({
    ...attestation,
    ...(failedAt === null ? {} : { failedAt }),
    ...(failure === null ? {} : { failure }),
    ...(endsAt === null ? {} : { endsAt }),
    ...(invalidAt === null ? {} : { invalidAt }),
  })),
  instanceCount: found.instanceCount,
  events: events.map(auditEvent),
})
