import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import type { TestService } from '../support/service.js'

/** Makes all waiting credentials due, and runs the maintenance task once. */
export async function askDue(service: TestService, all: readonly TestService[] = [service]): Promise<void> {
  await query(service.databaseUrl, "UPDATE wallet_pending_issuances SET ask_at = now() - interval '1 second'")
  await Promise.all(all.map(turn))
}

/** Runs the maintenance task once, without changing when credentials are due. */
export async function turn(service: TestService): Promise<void> {
  for (const task of service.features.pendingIssuances.tasks) await runTask(task, service.platform.clock())
}

export interface PendingRow {
  readonly id: string
  readonly content: string
  readonly ask_at: Date
  readonly expires_at: Date
}

/** Reads the deferred credentials of a holder's wallet. */
export const pendingOf = (service: TestService, holderId: string): Promise<PendingRow[]> =>
  query<PendingRow & Record<string, unknown>>(
    service.databaseUrl,
    'SELECT id, content, ask_at, expires_at FROM wallet_pending_issuances WHERE holder_id = $1',
    [holderId],
  )

export async function auditedOf(service: TestService, id: string): Promise<string[]> {
  const rows = await query<{ action: string }>(
    service.databaseUrl,
    'SELECT action FROM audit_events WHERE subject_id = $1 ORDER BY id',
    [id],
  )
  return rows.map(({ action }) => action)
}
