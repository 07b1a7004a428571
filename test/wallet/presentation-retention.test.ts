import { expect, it } from 'vitest'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { newWallet } from '../support/wallet.js'

const NOW = new Date('2026-06-30T12:00:00Z')
const DAY_MS = 86_400_000

it('presentations are removed after RETENTION_PRESENTATIONS_DAYS, and no earlier', async () => {
  await using service = await startService({ maintenance: false, env: { RETENTION_PRESENTATIONS_DAYS: '30' } })
  const { id: holderId } = await newWallet(service)
  const daysAgo = [0, 29, 30, 31, 400]
  for (const days of daysAgo) {
    await query(
      service.databaseUrl,
      'INSERT INTO wallet_presentations (id, holder_id, content, created_at) VALUES ($1, $2, $3, $4)',
      [`${days} days`, holderId, '{}', new Date(NOW.getTime() - days * DAY_MS)],
    )
  }
  for (const task of service.features.walletPresentations.tasks) await runTask(task, NOW)
  const left = await query(service.databaseUrl, 'SELECT id FROM wallet_presentations ORDER BY created_at DESC')
  expect(left).toEqual([{ id: '0 days' }, { id: '29 days' }])
})
