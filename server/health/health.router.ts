import type { Context } from '../context.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'
import { publicProcedure, router } from '../trpc.js'
import { liveness, readiness } from './health.contract.js'

type Components = Record<string, { status: 'up' | 'down' }>

/** The interface's health result; when it fails, the envelope's members stand beside it. */
function healthReply(ctx: Context, components: Components) {
  const entries = Object.entries(components)
  const up = Object.fromEntries(entries.filter(([, { status }]) => status === 'up'))
  const down = Object.fromEntries(entries.filter(([, { status }]) => status === 'down'))
  const names = Object.keys(down)
  const result = { status: names.length === 0 ? 'ok' : 'error', info: up, error: down, details: components }
  const headers = { 'cache-control': 'no-store' }
  if (names.length === 0) return { status: 200, headers, body: result }
  const envelope = {
    statusCode: 503,
    message: `Health check failed: ${names.join(', ')}.`,
    path: ctx.request.path,
    timestamp: ctx.deps.clock().toISOString(),
  }
  return { status: 503, headers, body: { ...result, ...envelope } }
}

/** A component that takes longer to say that it is there does not serve requests either. */
const CHECK_TIMEOUT_MS = 3_000

async function statusOf(
  { deps, request }: Context,
  component: string,
  check: () => Promise<unknown>,
): Promise<{ status: 'up' | 'down' }> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('No answer.')), CHECK_TIMEOUT_MS)
  })
  try {
    await Promise.race([check(), late])
    return { status: 'up' }
  } catch (err) {
    deps.log.error({ requestId: request.requestId, component, err }, 'health check failed')
    return { status: 'down' }
  } finally {
    clearTimeout(timer)
  }
}

export const healthRouter = router({
  liveness: publicProcedure
    .meta(liveness.meta)
    .input(liveness.input)
    .output(zProtocolReply)
    .query(({ ctx }) => healthReply(ctx, {})),

  readiness: publicProcedure
    .meta(readiness.meta)
    .input(readiness.input)
    .output(zProtocolReply)
    .query(async ({ ctx }) => {
      const { health } = ctx.deps
      if (health.stopping()) return healthReply(ctx, { service: { status: 'down' } })
      const checks = Object.entries(health.checks)
      const results = await Promise.all(
        checks.map(async ([name, check]) => [name, await statusOf(ctx, name, check)] as const),
      )
      return healthReply(ctx, Object.fromEntries(results))
    }),
})
