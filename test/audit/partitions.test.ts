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

it('RETENTION_AUDIT_DAYS drops months whose last event is older, and no other', async () => {
  await using kept = await startService({ maintenance: false, env: { RETENTION_AUDIT_DAYS: '30' } })
  const names = async () =>
    (
      await query<{ name: string }>(
        kept.databaseUrl,
        "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_events'::regclass",
      )
    ).map(({ name }) => name)
  const maintain = async (now: Date) => {
    for (const task of kept.features.audit.tasks) await runTask(task, now)
  }
  await maintain(new Date(Date.UTC(2040, 0, 15)))
  expect(await names()).toEqual(expect.arrayContaining(['audit_events_20400201_00', 'audit_events_20400301_00']))
  // February 2040 ends on the 29th.
  await maintain(new Date(Date.UTC(2040, 2, 30, 23)))
  expect(await names()).toContain('audit_events_20400201_00')
  await maintain(new Date(Date.UTC(2040, 2, 31, 1)))
  expect(await names()).not.toContain('audit_events_20400201_00')
  expect(await names()).toContain('audit_events_20400301_00')
})

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
