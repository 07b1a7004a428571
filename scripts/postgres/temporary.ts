import { randomBytes, randomInt } from 'node:crypto'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Supervisor } from '../supervisor/handle.js'

/** A PostgreSQL for the duration of a test run or a command. It is removed even if the run fails. */
export interface TemporaryPostgres {
  /** URL of the database `postgres`, as superuser. */
  readonly url: string
  readonly dataDirectory: string
  /** Stops the server as an outage would; every connection breaks. */
  stop(): Promise<void>
  /** Starts the server again, at the same address with the same data. */
  restart(): Promise<void>
  /** Stops the server and removes its data. */
  remove(): Promise<void>
}

/** Settings without safe writes, because temporary data need not survive a power failure. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '200',
  jit: 'off',
}

/**
 * Ports of which no system chooses one for a program that names no port. So no program takes the port of a server while
 * the server is stopped.
 */
const PORTS = { from: 20_000, to: 32_768 }

/**
 * Starts a temporary PostgreSQL.
 *
 * @param settings server settings that replace or extend the default settings
 * @param makeData makes the data directory with the superuser's password; by default a new one
 * @param parent the directory in which the server's folder is made
 */
export async function startTemporaryPostgres(
  settings: Readonly<Record<string, string>> = {},
  makeData: (dataDirectory: string) => Promise<string> = async () => randomBytes(18).toString('base64url'),
  parent = tmpdir(),
): Promise<TemporaryPostgres> {
  const directory = await mkdtemp(join(parent, 'credence-postgres-'))
  // If the caller is root, the account that runs PostgreSQL needs access to the folder.
  await chmod(directory, 0o711)
  const dataDirectory = join(directory, 'data')
  const options = {
    dataDirectory,
    logFile: join(directory, 'log'),
    password: await makeData(dataDirectory),
    settings: { ...SETTINGS, ...settings },
    preferredPort: randomInt(PORTS.from, PORTS.to),
  }
  const supervisor = await Supervisor.start()
  const url = await supervisor.call('startPostgres', options, directory).catch(async (error) => {
    await supervisor.end()
    throw error
  })
  const preferredPort = Number(new URL(url).port)
  return {
    url,
    dataDirectory,
    stop: () => supervisor.call('stopPostgres'),
    async restart() {
      const again = await supervisor.call('startPostgres', { ...options, preferredPort }, directory)
      if (again !== url) throw new Error(`The port ${preferredPort} was taken by another program meanwhile.`)
    },
    async remove() {
      await supervisor.end()
    },
  }
}
