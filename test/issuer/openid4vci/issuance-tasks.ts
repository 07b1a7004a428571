import type { MaintenanceTask } from '../../../server/maintenance/task.js'
import type { TestService } from '../../support/service.js'

/** All maintenance of issuances in a service. */
export const issuanceTasks = ({ features }: Pick<TestService, 'features'>): readonly MaintenanceTask[] => [
  ...features.offerSessions.tasks,
  ...features.authorizations.tasks,
  ...features.walletTokens.tasks,
  ...features.nonces.tasks,
  ...features.requestEncryption.tasks,
]
