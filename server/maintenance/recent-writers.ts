import type { Replica } from '../database/replica/open.js'
import { dueRows, type MaintenanceTask } from './task.js'

/** Notes are kept this long, since the clocks of processes and database may differ. */
const KEPT_SECONDS = 3_600

/** Deletes notes of changes that no list needs. */
export const recentWriterTask = (forget: NonNullable<Replica['forget']>): MaintenanceTask =>
  dueRows({ name: 'recent-writers', everyMs: 60_000, seconds: KEPT_SECONDS, batch: forget })
