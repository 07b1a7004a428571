import { join, resolve } from 'node:path'
import { freePort } from '../../scripts/postgres/free-port.js'
import { argumentsOf } from '../arguments.js'
import { startBenchServer } from '../database.js'
import { median } from '../measure/sample.js'
import { machine } from '../report/machine.js'
import { markdown } from '../report/markdown.js'
import { startTarget } from '../targets/target.js'
import { type FirstPaint, firstPaint, PARTS, startBrowser } from './first-paint.js'

const say = (line: string) => process.stdout.write(`${line}\n`)

const GOAL_MS = 1_500
const GOAL_KIB = 250

function readOptions(args: readonly string[]) {
  const values = argumentsOf(args, {
    runs: { type: 'string', default: '5' },
    slowdown: { type: 'string', default: '4' },
    against: { type: 'string' },
  })
  const runs = Number(values.runs)
  const slowdown = Number(values.slowdown)
  if (!(Number.isInteger(runs) && runs > 0)) throw new Error('--runs must be a whole number above 0.')
  if (!(slowdown >= 1)) throw new Error('--slowdown must be a number of at least 1.')
  return { runs, slowdown, against: values.against }
}

/** Runs `npm run bench:console`: measures the time from an empty cache until the overview shows its checklist. */
export async function run(args: readonly string[]): Promise<void> {
  const { runs, slowdown, against } = readOptions(args)
  const sides = [{ name: 'here', root: process.cwd() }]
  if (against !== undefined) sides.push({ name: 'against', root: resolve(against) })
  const postgres = await startBenchServer()
  const closing = [postgres.remove]
  try {
    const browser = await startBrowser()
    closing.push(() => browser.close())
    const measured: { readonly name: string; readonly url: string; readonly paints: FirstPaint[] }[] = []
    for (const { name, root } of sides) {
      const port = await freePort()
      const url = `http://localhost:${port}`
      // The console is open without sign-in, as with `npm start`.
      const env = {
        ISSUER_BASE_URL: url,
        VERIFIER_BASE_URL: url,
        AUTH_DISABLED: 'true',
        ALLOW_INSECURE_HTTP: 'true',
        TRUSTED_ISSUERS: '*',
        DATABASE_URL: await postgres.createDatabase(),
        LOG_LEVEL: 'warn',
      }
      const program = join(root, 'dist', 'server', 'main.js')
      const service = await startTarget({ program, node: process.execPath, port, env, ready: '/health/readiness' })
      closing.push(service.stop)
      measured.push({ name, url: `${url}/console/`, paints: [] })
    }
    const before = machine()
    // The first opening warms up the service and the browser. It does not count.
    for (let round = 0; round <= runs; round += 1) {
      for (const { url, paints } of round % 2 === 0 ? measured : measured.toReversed()) {
        const paint = await firstPaint(browser, url, slowdown)
        if (round > 0) paints.push(paint)
      }
    }
    const rows = measured.map(({ name, paints }) => {
      const of = (part: (typeof PARTS)[number]) => paints.map((paint) => paint[part])
      const all = of('checklist')
      const range = `${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)}`
      return [name, ...PARTS.map((part) => median(of(part)).toFixed(0)), range]
    })
    say(
      `\n${before}; ${runs} openings from an empty cache, processor of the browser ${slowdown} × slower; medians in ms\n`,
    )
    say(markdown([['', ...PARTS, 'checklist, all'], ...rows], [0]))
    say(`\nGoal: the checklist within ${GOAL_MS} ms, and ${GOAL_KIB} KiB.\n`)
  } finally {
    for (const close of closing.reverse()) await close()
  }
}
