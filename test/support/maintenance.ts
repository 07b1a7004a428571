import type { MaintenanceTask } from '../../server/maintenance/task.js'

/** Runs one task until it has no work left. */
export async function runTask(task: MaintenanceTask, now: Date): Promise<void> {
  while ((await task.run(now, 200)).more);
}
