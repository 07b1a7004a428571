import { dueRows, type MaintenanceTask } from '../maintenance/task.js'
import type { ConsoleSessionStore } from './sessions/store.js'

/** Maintenance of the console: removes ended sessions with their tokens. */
export const consoleTasks = (store: Pick<ConsoleSessionStore, 'removeExpired'>): readonly MaintenanceTask[] => [
  dueRows({ name: 'remove console sessions', everyMs: 60_000, batch: store.removeExpired }),
]
