import cluster from 'node:cluster'
import { answerMemory } from './memory.mjs'

// The built service with one more route: a procedure that does nothing after the Bearer check. The cost of this route
// is the cost of REST and of the check, without the work of an operation.
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
// A run may be compared with an older version, which has only base procedures.
const contracted =
  procedure?.(contract) ?? userProcedure.meta(contract.meta).input(contract.input).output(contract.output)
const noop = contracted.query(() => ({ name: 'credence', version: '0.1.0' }))
// The service makes its routers from this router later. An older version has already made its routers, so the route
// must be added to them.
if (restRouter === undefined) serviceRouter._def.record.noop = noop
else Object.assign(restRouter._def.procedures, router({ bench: router({ noop }) })._def.procedures)

answerMemory()
// The open IPC channel must not keep the primary process alive after its workers have ended.
if (cluster.isPrimary) process.channel?.unref()
await main()
