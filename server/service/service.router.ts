import { existsSync, readFileSync } from 'node:fs'
import { publicProcedure, router } from '../trpc.js'
import { greeting, version } from './service.contract.js'

/** package.json stands above `server/` in the sources and above `dist/` in the build. */
function packageDescription(): { name: string; version: string } {
  for (const path of ['../../package.json', '../../../package.json']) {
    const url = new URL(path, import.meta.url)
    if (!existsSync(url)) continue
    const { name, version }: { name: string; version: string } = JSON.parse(readFileSync(url, 'utf8'))
    return { name, version }
  }
  throw new Error('package.json was not found.')
}

/** Name and version as package.json has them. */
export const SERVICE = packageDescription()

export const greetingRouter = router({
  greeting: publicProcedure
    .meta(greeting.meta)
    .input(greeting.input)
    .output(greeting.output)
    .query(() => ({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: `Credence issues, holds and verifies digital credentials. Its API is described at /api-docs.`,
    })),
})

export const serviceRouter = router({
  version: publicProcedure
    .meta(version.meta)
    .input(version.input)
    .output(version.output)
    .query(() => SERVICE),
})
