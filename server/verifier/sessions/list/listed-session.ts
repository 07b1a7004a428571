import type { z } from 'zod'
import type { listVerificationSessions } from '../verification-sessions.contract.js'
import type { ListedSession } from './store.js'

type Shown = z.input<typeof listVerificationSessions.output>['items'][number]

/** A verification session as the list shows it. */
export const listedSession = ({
  errorMessage,
  createdBy,
  createdAt,
  expiresAt,
  endedAt,
  ...session
}: ListedSession): Shown => ({
  ...session,
  ...(errorMessage === null ? {} : { errorMessage }),
  ...(createdBy === null ? {} : { createdBy }),
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  ...(endedAt === null ? {} : { endedAt: endedAt.toISOString() }),
})
