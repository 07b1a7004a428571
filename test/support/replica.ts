import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../scripts/postgres/temporary.js'
import { migrate } from '../../server/database/migrate.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { memoryFolder } from './memory-folder.js'

/** Starts a migrated PostgreSQL and its streaming replica, both embedded, in about four seconds. */
export interface ReplicatedPostgres extends AsyncDisposable {
  readonly primary: TemporaryPostgres
  readonly replica: TemporaryPostgres
}

/** Settings of a server that can have a replica. */
const followed = { wal_level: 'replica', max_wal_senders: '4', wal_keep_size: '64MB' }

/** The replica begins as a copy of the primary's data. The primary is stopped during the copy. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const parent = await memoryFolder()
  const primary = await startTemporaryPostgres(followed, undefined, parent)
  await withStartLock(primary.url, (lock) => migrate(lock))
  const { hostname, port, username, password } = new URL(primary.url)
  const makeData = async (directory: string) => {
    await primary.stop()
    await promisify(execFile)('cp', ['-a', primary.dataDirectory, directory])
    await writeFile(join(directory, 'standby.signal'), '')
    await primary.restart()
    return decodeURIComponent(password)
  }
  const connection = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
  const following = { ...followed, primary_conninfo: connection, wal_retrieve_retry_interval: '100ms' }
  const replica = await startTemporaryPostgres(following, makeData, parent)
  const dispose = async () => {
    await replica.remove()
    await primary.remove()
  }
  return { primary, replica, [Symbol.asyncDispose]: dispose }
}
