import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../scripts/postgres/temporary.js'
import { migrate } from '../../server/database/migrate.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { createLog } from '../../server/log/log.js'
import { tour } from '../http/tour.js'
import { walletClients } from '../http/wallet-clients.js'
import { memoryFolder } from '../support/memory-folder.js'
import { databaseUrl, query } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { LOOPBACK } from '../support/wallet.js'
import { columnsWith, filesWith, foundIn } from './stolen.js'

/** A claim and a reference. The tour of all operations issues credentials with both. */
const CLAIMS = ['Espresso machine', 'order-4711']

/** Settings with which the write-ahead log contains everything that a server with backups writes. */
const WITH_BACKUPS = { wal_level: 'replica', full_page_writes: 'on', max_wal_senders: '2' }

let postgres: TemporaryPostgres
beforeAll(async () => {
  postgres = await startTemporaryPostgres(WITH_BACKUPS, undefined, await memoryFolder())
})
afterAll(() => postgres.remove())

/** Calls every operation of the API, with a separate database. */
async function touredWith(name: string, env: Readonly<Record<string, string>>) {
  await query(postgres.url, `CREATE DATABASE ${name}`)
  const url = databaseUrl(postgres.url, name)
  await withStartLock(url, (lock) => migrate(lock))
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  await using service = await startService({
    databaseUrl: url,
    env: { ...LOOPBACK, WALLET_CLIENTS: walletClients(), ...env },
    log: createLog('trace', destination),
  })
  await tour(service)
  const metrics = await service.service.operated.metrics.registry.metrics()
  await query(postgres.url, 'CHECKPOINT')
  return {
    columns: await columnsWith(url, CLAIMS),
    files: await filesWith(postgres.dataDirectory, CLAIMS),
    log: lines.join(''),
    metrics,
  }
}

describe('claims at rest, after a visit to every operation', () => {
  it('with KEY_ENCRYPTION_KEY they are in no column, no file of the server, no log line and no metric', async () => {
    const kek = randomBytes(32).toString('base64url')
    const { columns, files, log, metrics } = await touredWith('encrypted', { KEY_ENCRYPTION_KEY: kek })
    expect({ columns, files }).toEqual({ columns: [], files: [] })
    expect(log).toContain('/api/v1/credentials')
    expect(foundIn(log, CLAIMS)).toEqual([])
    expect(foundIn(metrics, CLAIMS)).toEqual([])
  })

  it('without it they are in the clear: the same search finds them', async () => {
    const { columns, files, log, metrics } = await touredWith('clear', {})
    expect(columns).toEqual(
      expect.arrayContaining([
        'credentials.names',
        'credentials.vc',
        'offerings.credential_subject',
        'verification_sessions.names',
        'verification_sessions.result',
      ]),
    )
    expect(files.some((file) => file.startsWith('pg_wal/'))).toBe(true)
    expect([...foundIn(log, CLAIMS), ...foundIn(metrics, CLAIMS)]).toEqual([])
  })
})
