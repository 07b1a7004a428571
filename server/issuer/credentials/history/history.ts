import type { z } from 'zod'
import { errors } from '../../../api/errors.js'
import { auditEvent } from '../../../audit/audit-event.js'
import type { Deps } from '../../../deps.js'
import { listedCredential } from '../list/listed-credential.js'
import type { readCredentialHistory } from './history.contract.js'

/** All that is known of a credential but what it says. @throws 404 for an unknown one */
export async function historyOf(
  { stores }: Pick<Deps, 'stores'>,
  id: string,
): Promise<z.input<typeof readCredentialHistory.output>> {
  const found = await stores.credentialHistory.find(id)
  if (found === undefined) throw errors.credentialNotFound()
  const events = await stores.audit.ofCredential(id, found.offeringId)
  return {
    credential: listedCredential(found),
    instances: (found.instances ?? []).map(({ revokedAt, ...instance }) => ({
      ...instance,
      ...(revokedAt === null ? { status: 'active' as const } : { status: 'revoked' as const, revokedAt }),
    })),
    instanceCount: found.instanceCount,
    events: events.map(auditEvent),
  }
}
