import { preferredType } from '../api/accept.js'
import { procedure, router } from '../api/trpc.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import type { HomePage } from './home-page.js'
import { SERVICE } from './release.js'
import { greeting, version } from './service.contract.js'

const GREETING: ProtocolReply = {
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', vary: 'Accept' },
  body: 'Credence issues, holds and verifies digital credentials. Its API is described at /api-docs.',
}

export const greetingRouter = (homePage: HomePage) =>
  router({
    greeting: procedure(greeting).query(({ ctx: { request } }) => {
      const type = preferredType(request.headers.accept, ['text/plain', 'text/html'])
      return type === 'text/html' ? homePage(request.requestId) : GREETING
    }),
  })

export const serviceRouter = router({
  version: procedure(version).query(() => SERVICE),
})
