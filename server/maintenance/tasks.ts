import type { Deps } from '../deps.js'
import { issuanceTasks } from '../issuer/openid4vci/expire.js'
import { sessionTasks } from '../verifier/sessions/expire.js'
import { flowTasks } from '../wallet/flows/expire.js'
import type { MaintenanceTask } from './job.js'

/** Everything that is done from time to time, whoever asks or not. */
export const maintenanceTasks = (deps: Deps): readonly MaintenanceTask[] => [
  ...sessionTasks(deps),
  ...issuanceTasks(deps),
  ...flowTasks(deps),
]
