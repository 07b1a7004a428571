import type { MaintenanceTask } from '../../server/maintenance/task.js'

/** Runs one task until nothing is left for it to do. */
export async function runTask(task: MaintenanceTask, now: Date): Promise<void> {
  while ((await task.run(now, 200)).more);
}
