import { existsSync, readFileSync } from 'node:fs'
import { preferredType } from '../accept.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { publicProcedure, router } from '../trpc.js'
import { homePage } from './home-page.js'
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

const GREETING: ProtocolReply = {
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', vary: 'Accept' },
  body: 'Credence issues, holds and verifies digital credentials. Its API is described at /api-docs.',
}

export const greetingRouter = router({
  greeting: publicProcedure
    .meta(greeting.meta)
    .input(greeting.input)
    .output(greeting.output)
    .query(({ ctx }) => {
      const type = preferredType(ctx.request.headers.accept, ['text/plain', 'text/html'])
      return type === 'text/html' ? homePage(ctx, SERVICE) : GREETING
    }),
})

export const serviceRouter = router({
  version: publicProcedure
    .meta(version.meta)
    .input(version.input)
    .output(version.output)
    .query(() => SERVICE),
})
