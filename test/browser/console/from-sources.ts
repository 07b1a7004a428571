import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll } from 'vitest'
import type { Driven } from './actors.js'

/** The console as `npm run dev` serves it. */
export interface FromSources {
  readonly vite: ViteDevServer
  /** Without the path of the console. */
  readonly url: string
}

/** Serves the console from its sources, for all tests of a file. The service of `desk` answers its calls. */
export function fromSources(desk: Driven): FromSources {
  let vite: ViteDevServer | undefined
  const begun = (): ViteDevServer => {
    if (vite === undefined) throw new Error('Vite does not run before the first test.')
    return vite
  }
  beforeAll(async () => {
    process.env.CONSOLE_SERVICE = desk.service.url
    vite = await createServer({
      configFile: 'client/console/vite.config.ts',
      logLevel: 'error',
      server: { port: 0, watch: null, hmr: false, ws: false },
    })
    await vite.listen()
  })
  afterAll(async () => {
    delete process.env.CONSOLE_SERVICE
    await vite?.close()
  })
  return {
    get vite() {
      return begun()
    },
    get url() {
      return begun().resolvedUrls?.local[0]?.replace(/\/console\/$/, '') ?? ''
    },
  }
}
