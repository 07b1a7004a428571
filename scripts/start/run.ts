import { join } from 'node:path'
import QRCode from 'qrcode'
import { projectDirectory } from '../../server/database/migrations.js'
import { whenParentIsGone } from '../launch/parent.js'
import { programOf } from '../launch/run-program.js'
import { Cluster } from '../postgres/cluster.js'
import { freePortBeforeFree, isFree } from '../postgres/free-port.js'
import { Supervisor } from '../supervisor/handle.js'
import { embeddedData } from './embedded-database.js'
import { type Environment, readEnvironment } from './environment.js'
import { findMissingKeys } from './identity-provider.js'
import { assertMayLogin, roleNamesIn } from './login/option.js'
import { type BundledProvider, openProvider } from './login/provider.js'
import { publicAddressOf } from './public-address.js'
import { seed, untilReady } from './readiness.js'
import { planStart, type StartPlan } from './settings.js'

const root = projectDirectory()
const data = embeddedData()
const demonstrationSchema = join(root, 'prisma', 'seed', 'proof-of-purchase.json')

const say = (line: string) => process.stdout.write(`${line}\n`)

/** `npm start`, or `npm run dev` with `--dev`: starts database and service, posts the demonstration schema, and prints the addresses. */
export async function run(args: readonly string[]): Promise<void> {
  const environment = readEnvironment(process.env, join(root, '.env'))
  const login = args.includes('--login') ? await openLogin(environment, args) : undefined
  try {
    await runService(await planOf({ ...environment, ...login?.settings }, args, login), args)
  } finally {
    await login?.close()
  }
}

/** Opens the provider of `--login`. @throws {Error} with a sentence if the environment contradicts the option */
async function openLogin(environment: Environment, args: readonly string[]): Promise<BundledProvider> {
  assertMayLogin(environment, args)
  return openProvider(roleNamesIn(environment))
}

async function planOf(
  environment: Environment,
  args: readonly string[],
  login: BundledProvider | undefined,
): Promise<StartPlan> {
  const keys = await findMissingKeys(environment)
  // `--public` opens the next port.
  const plan = planStart(environment, await freePortBeforeFree(), publicAddressOf(args), keys)
  if (login === undefined) return plan
  await login.serve(plan.added.ISSUER_BASE_URL ?? '')
  return { ...plan, added: { ...login.settings, ...plan.added }, advice: [], people: login.people }
}

async function runService(plan: StartPlan, args: readonly string[]): Promise<void> {
  const supervisor = await Supervisor.start()
  const up = new AbortController()
  const over = untilOver(supervisor)
  try {
    const started = bringUp(supervisor, plan, args.includes('--dev'), up.signal)
    process.exitCode = await Promise.race([over, started.then(() => over)])
  } finally {
    up.abort()
    const wasKilled = await supervisor.end()
    if (wasKilled && plan.embeddedDatabase) await Cluster.stopLeftover(data.options())
  }
}

async function bringUp(supervisor: Supervisor, plan: StartPlan, dev: boolean, signal: AbortSignal): Promise<void> {
  for (const line of plan.advice) say(line)
  const databaseUrl = plan.embeddedDatabase ? await data.start(supervisor) : undefined
  await requirePort(plan)
  await supervisor.startService({
    args: dev
      ? [programOf('tsx'), 'watch', '--clear-screen=false', join('server', 'main.ts')]
      : ['--enable-source-maps', join('dist', 'server', 'main.js')],
    cwd: root,
    env: { ...process.env, ...plan.added, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) },
  })
  if (plan.address === null) return
  const origin = originOf(plan.address)
  await untilReady(origin, signal)
  const refusal = plan.local ? await seed(origin, demonstrationSchema) : null
  if (refusal !== null) say(`The demonstration schema was refused: ${refusal}`)
  const url = plan.open === undefined ? (plan.added.ISSUER_BASE_URL ?? origin) : `http://localhost:${plan.address.port}`
  await announce(plan, url, dev ? await developConsole(origin, signal) : `${url}/console/`)
}

/** Serves the console from its sources on loopback, and reloads it after each change. Passes other requests on to the service. */
async function developConsole(service: string, signal: AbortSignal): Promise<string> {
  const { createServer } = await import('vite')
  process.env.CONSOLE_SERVICE = service
  const server = await createServer({ configFile: join(root, 'client', 'console', 'vite.config.ts'), logLevel: 'warn' })
  await server.listen()
  signal.addEventListener('abort', () => void server.close(), { once: true })
  return server.resolvedUrls?.local[0] ?? ''
}

/** Checks that the port is free before the service starts, because this message is clearer than the service's message. */
async function requirePort({ address, open }: StartPlan): Promise<void> {
  if (open !== undefined && !(await isFree(open.port, open.host))) {
    throw new Error(
      `Port ${open.port} of ${open.host}, which is for --public, is in use. Stop the program that has it, or choose another.`,
    )
  }
  if (address === null || (await isFree(address.port, address.host))) return
  throw new Error(
    `Port ${address.port} of ${address.host} is in use. Stop the program that has it, or choose another: PORT=${address.port + 1} npm start`,
  )
}

/** The service's address for this machine. */
function originOf({ host, port }: NonNullable<StartPlan['address']>): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

async function announce(
  { local, embeddedDatabase, open, people }: StartPlan,
  url: string,
  consoleUrl: string,
): Promise<void> {
  say('')
  say(`Console: ${consoleUrl}`)
  say(`Credence is running at ${url}`)
  say(`  API reference    ${url}/api-docs`)
  say(`  Issuer metadata  ${url}/.well-known/openid-credential-issuer`)
  say(`  Health           ${url}/health/readiness`)
  if (embeddedDatabase) say('  Database         .data/postgres (npm run studio shows its content)')
  if (local) {
    say(
      'No base URL and no identity provider is configured: no authentication, plain HTTP, any issuer trusted (local development only).',
    )
    const demo = url.endsWith(':3000') ? 'npm run demo' : `CREDENCE_URL=${url} npm run demo`
    say(`A complete example: run ${demo} in a second terminal.`)
  }
  if (people !== undefined) {
    say('The console asks who you are (local development only). Choose one of these people:')
    for (const { givenName, familyName, roles, may } of people)
      say(`  ${givenName} ${familyName}: ${may}${roles.map((role) => ` (${role})`).join('')}`)
  }
  if (open !== undefined) await announceOpen(open)
  say('Stop with Ctrl-C.')
}

/** Prints which parts of the service other machines can use, and at which address. */
async function announceOpen({ url, tunnel, host, port }: NonNullable<StartPlan['open']>): Promise<void> {
  say('')
  say(`Others reach only the requests of wallets, metadata and pages, at ${url}. Callers there have no identity.`)
  say('The console and the API answer on this machine only.')
  if (tunnel) say(`The tunnel must lead to http://${host}:${port} (cloudflared tunnel --url http://${host}:${port}).`)
  say(await QRCode.toString(url, { type: 'terminal', small: true }))
}

/** Signals within this time, in milliseconds, come from the same keypress. */
const ONE_KEY_MS = 500

/** Resolves with the exit code when the user stops the run, or the service or the database ends by itself. */
function untilOver(supervisor: Supervisor): Promise<number> {
  return new Promise((resolve) => {
    let toldAt: number | undefined
    const stop = () => {
      // One Ctrl-C may cause two signals, from the terminal and from npm. After a second signal the service would not
      // finish its requests.
      toldAt ??= performance.now()
      if (performance.now() - toldAt > ONE_KEY_MS) void supervisor.call('killService').catch(() => undefined)
      resolve(0)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
    whenParentIsGone(stop)
    supervisor.once('service-ended', ({ code, signal }) => {
      if (signal !== null) say(`The service was ended by ${signal}.`)
      resolve(code ?? 1)
    })
    supervisor.once('postgres-ended', () => {
      say(`PostgreSQL ended unexpectedly, see ${data.logFile}`)
      resolve(1)
    })
    supervisor.once('exit', () => resolve(1))
  })
}
