import cluster from 'node:cluster'
import { answerMemory } from './memory.mjs'

// The built service with one more route: a procedure that does nothing behind the Bearer check. It separates the cost of the
// check and the façade from the cost of a route's work.
const dist = new URL(process.env.BENCH_DIST ?? '../../dist/server/', import.meta.url)
const { main } = await import(new URL('main.js', dist).href)
const { restRouter } = await import(new URL('router.js', dist).href)
const { procedure, router, userProcedure } = await import(new URL('api/trpc.js', dist).href).catch(
  () => import(new URL('trpc.js', dist).href),
)
const { serviceRouter } = await import(new URL('service/service.router.js', dist).href)
const { version } = await import(new URL('service/service.contract.js', dist).href)

const { openapi, rest } = version.meta
const contract = {
  ...version,
  meta: { openapi: { ...openapi, path: '/bench/noop' }, rest: { ...rest, access: 'user' } },
}
// An older version, which a run is compared with, may have base procedures alone.
const contracted =
  procedure?.(contract) ?? userProcedure.meta(contract.meta).input(contract.input).output(contract.output)
const noop = contracted.query(() => ({ name: 'credence', version: '0.1.0' }))
// Routers are made of this one when the service is made. An older version has made them already.
if (restRouter === undefined) serviceRouter._def.record.noop = noop
else Object.assign(restRouter._def.procedures, router({ bench: router({ noop }) })._def.procedures)

answerMemory()
// The process over workers ends after them, even if it could still receive commands.
if (cluster.isPrimary) process.channel?.unref()
await main()
