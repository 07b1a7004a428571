import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../../server/database/migrations.js'
import { freePort } from '../../postgres/free-port.js'
import { startTemporaryPostgres } from '../../postgres/temporary.js'
import { untilReady } from '../../start/readiness.js'
import { startTlsProxy } from '../tls-proxy.js'

export interface ServiceOptions {
  readonly settings: Readonly<Record<string, string>>
  /** The port of the TLS proxy in front of the service. */
  readonly port: number
  readonly tlsPem: string
  /** File with the authorities that the service trusts for TLS, in addition to the authorities of Node. */
  readonly authorities: string
  /** Receives the service's output. */
  readonly logFile: string
}

/**
 * Starts the built service with its own database, behind a TLS proxy. @returns a function that ends the service and the
 * proxy
 */
export async function startService(options: ServiceOptions): Promise<() => Promise<void>> {
  const postgres = await startTemporaryPostgres()
  const servicePort = await freePort()
  const log = openSync(options.logFile, 'w')
  const root = projectDirectory()
  const child = spawn(process.execPath, ['--enable-source-maps', join(root, 'dist', 'server', 'main.js')], {
    // The service gets no settings from the caller's environment or from .env.
    env: {
      PATH: process.env.PATH,
      ...options.settings,
      HOST: '127.0.0.1',
      PORT: String(servicePort),
      DATABASE_URL: postgres.url,
      NODE_EXTRA_CA_CERTS: options.authorities,
    },
    cwd: join(root, 'docs'),
    stdio: ['ignore', log, log],
  })
  const gone = new AbortController()
  child.once('exit', () => gone.abort(new Error(`The service ended unexpectedly: see ${options.logFile}`)))
  const end = async () => {
    if (child.exitCode === null) {
      child.kill()
      await once(child, 'exit')
    }
    await postgres.remove()
  }
  try {
    await untilReady(`http://127.0.0.1:${servicePort}`, gone.signal)
    const endProxy = await startTlsProxy({ pem: options.tlsPem, port: options.port, servicePort })
    return async () => {
      await endProxy()
      await end()
    }
  } catch (error) {
    await end()
    throw error
  }
}
