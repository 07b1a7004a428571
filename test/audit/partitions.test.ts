import { afterAll, beforeAll, expect, it } from 'vitest'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService

beforeAll(async () => {
  service = await startService({ maintenance: false })
})
afterAll(() => service.close())

const partitions = async () => {
  const rows = await query<{ name: string }>(
    service.databaseUrl,
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_events'::regclass",
  )
  return rows.map(({ name }) => name)
}

it('audit rows are kept: the service makes new partitions for them, and never drops a partition', async () => {
  const before = await partitions()
  expect(before.length).toBeGreaterThan(1)
  for (const year of [2040, 2060, 2099]) {
    for (const task of service.features.audit.tasks) await runTask(task, new Date(Date.UTC(year, 5)))
  }
  const after = await partitions()
  expect(after).toEqual(expect.arrayContaining(before))
  expect(after.length).toBe(before.length + 6)
})
