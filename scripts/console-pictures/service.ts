import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectDirectory } from '../../server/database/migrations.js'
import { freePort } from '../postgres/free-port.js'
import { startTemporaryPostgres } from '../postgres/temporary.js'
import { untilReady } from '../start/readiness.js'
import { planStart } from '../start/settings.js'

/** The built service, as `npm start` runs it, over its own database. */
export interface Demonstration {
  readonly url: string
  readonly databaseUrl: string
  /** Posts a body. @returns the answer's body. @throws {Error} with the service's answer if the status is not 2xx */
  post<Body>(path: string, body: unknown): Promise<Body>
  get<Body>(path: string): Promise<Body>
  end(): Promise<void>
}

/** Starts the service at a free port. */
export async function startDemonstration(): Promise<Demonstration> {
  const postgres = await startTemporaryPostgres()
  const { added } = planStart({ PORT: '0' }, await freePort(3000))
  const url = added.ISSUER_BASE_URL ?? ''
  const root = projectDirectory()
  const child = spawn(process.execPath, [join(root, 'dist', 'server', 'main.js')], {
    // The service gets no settings from the caller's environment or from .env.
    env: { PATH: process.env.PATH, ...added, DATABASE_URL: postgres.url, RATE_LIMIT_MAX: '0' },
    cwd: join(root, 'docs'),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const gone = new AbortController()
  child.once('exit', () => gone.abort(new Error('The service ended by itself.')))
  const end = async () => {
    if (child.exitCode === null) {
      child.kill()
      await once(child, 'exit')
    }
    await postgres.remove()
  }
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
  try {
    await untilReady(url, gone.signal)
  } catch (error) {
    await end()
    throw error
  }
  return {
    url,
    databaseUrl: postgres.url,
    // The caller knows the type of the answer from the contract of the path.
    post: <Body>(path: string, body: unknown) => ask('POST', path, body) as Promise<Body>,
    get: <Body>(path: string) => ask('GET', path) as Promise<Body>,
    end,
  }
}
