import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { projectDirectory } from '../../server/database/migrations.js'
import { publicPem } from '../certificates.js'
import { installations, writeSettings } from './installation/installations.js'
import { materialIn } from './installation/material.js'
import { chosenColumns, type Options, readOptions, USAGE } from './options.js'
import { COLUMNS } from './plans/index.js'
import { differencesOf, expectationOf, readExpectations } from './report/expectations.js'
import type { Results } from './report/results.js'
import { tablesText } from './report/tables.js'
import { runColumns } from './run-columns.js'
import { suiteAt } from './suite/client.js'
import { trustingFetch } from './trusting-fetch.js'

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const expectationsFile = join(projectDirectory(), 'scripts', 'conformance', 'expectations.json')

/** Runs `npm run conformance`. The exit code is 1 if the outcome of a module differs from the expected outcome. */
export async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args)
  if (options.help) return say(USAGE)
  const columns = chosenColumns(COLUMNS, options.plans)
  if (options.list) return say(columns.map(({ id, plan }) => `${id.padEnd(44)} ${plan}`).join('\n'))
  const material = await materialIn(join(options.out, 'keys'), options.host)
  if (options.settings) return say(writeSettings(options, material).join('\n'))
  const suiteCa = options.suiteCa === undefined ? [] : [readFileSync(options.suiteCa, 'utf8')]
  const ask = trustingFetch([...rootCertificates, ...suiteCa, publicPem(material.serviceRoot)])
  const suite = suiteAt(options.suiteUrl, ask)
  const version = await suite.version()
  say(`The suite is ${version.version} at ${version.revision}.`)
  const begun = new Date().toISOString()
  const services = installations(options, material, suiteCa, say)
  try {
    const { parallel, modules } = options
    const ran = await runColumns({ suite, ask, material, installations: services, parallel, modules, say }, columns)
    report({ suite: version, begun, columns: ran }, options)
  } finally {
    await services.end()
  }
}

function report(results: Results, options: Options): void {
  const tables = tablesText(results)
  writeFileSync(join(options.out, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(options.out, 'tables.md'), tables)
  say(`\n${tables}`)
  const expected = existsSync(expectationsFile) ? readExpectations(readFileSync(expectationsFile, 'utf8')) : {}
  if (options.write) {
    const seen = Object.fromEntries(results.columns.map((column) => [column.id, expectationOf(column)]))
    writeFileSync(expectationsFile, `${JSON.stringify({ ...expected, ...seen }, null, 2)}\n`)
    return
  }
  // The results of some modules must not replace the expectations of all modules.
  if (options.modules.length > 0) return
  const differences = results.columns.flatMap((column) => differencesOf(column, expected))
  for (const difference of differences) say(difference)
  if (differences.length === 0) say('Every module ended as expected.')
  else process.exitCode = 1
}
