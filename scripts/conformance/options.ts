import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectDirectory } from '../../server/database/migrations.js'
import type { Profile } from './installation/material.js'
import type { Column } from './plans/column.js'

export const USAGE = `npm run conformance -- [options]

Runs the plans of the OpenID Foundation's conformance suite against this service, and compares.

  --suite URL        where the suite answers (default https://localhost:8443)
  --suite-ca FILE    PEM of the authority of the suite's TLS
  --plan ID          a column, a table or a plan of the suite; may be repeated (default all)
  --module NAME      this module alone; may be repeated
  --list             shows the ids of the columns, and ends
  --host NAME        under which the suite reaches this machine (default localhost)
  --port NUMBER      port of the service's TLS; the one after it is for HAIP (default 9443)
  --service URL      a service that runs already, with the settings that --settings shows
  --profile NAME     final or haip: the ISSUER_PROFILE of that service (default final)
  --settings         writes the settings for --service to DIR, and ends
  --out DIR          certificates, logs and results (default .data/conformance)
  --parallel NUMBER  columns that run at the same time (default 1)
  --write            takes what was seen for the expectations of the next run
`

export interface Options {
  readonly suiteUrl: string
  readonly suiteCa: string | undefined
  readonly plans: readonly string[]
  readonly modules: readonly string[]
  readonly list: boolean
  readonly host: string
  readonly port: number
  readonly service: string | undefined
  readonly profile: Profile
  readonly settings: boolean
  readonly out: string
  readonly parallel: number
  readonly write: boolean
  readonly help: boolean
}

const MOST_AT_ONCE = 8

/** Reads the options of the command line. @throws {Error} with a sentence for the user if the arguments are invalid */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: { type: 'string', default: 'https://localhost:8443' },
      'suite-ca': { type: 'string' },
      plan: { type: 'string', multiple: true, default: [] },
      module: { type: 'string', multiple: true, default: [] },
      list: { type: 'boolean', default: false },
      host: { type: 'string', default: 'localhost' },
      port: { type: 'string', default: '9443' },
      service: { type: 'string' },
      profile: { type: 'string', default: 'final' },
      settings: { type: 'boolean', default: false },
      out: { type: 'string', default: join(projectDirectory(), '.data', 'conformance') },
      parallel: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { profile } = values
  if (profile !== 'final' && profile !== 'haip') throw new Error('--profile is final or haip.')
  if (!/^https:\/\//.test(values.suite) || !URL.canParse(values.suite)) throw new Error('--suite is an https address.')
  return {
    suiteUrl: values.suite,
    suiteCa: values['suite-ca'],
    plans: values.plan,
    modules: values.module,
    list: values.list,
    host: values.host,
    port: wholeNumber('--port', values.port, 65_534),
    service: values.service?.replace(/\/+$/, ''),
    profile,
    settings: values.settings,
    out: values.out,
    parallel: wholeNumber('--parallel', values.parallel, MOST_AT_ONCE),
    write: values.write,
    help: values.help,
  }
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new Error(`${name} is a number from 1 to ${most}.`)
}

/**
 * Returns the columns that the names select: a name is an id, a table or a plan. Returns all columns if there are no
 * names.
 *
 * @throws {Error} for a name that selects no column
 */
export function chosenColumns(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  const isMeant = ({ id, plan }: Column, name: string) => id === name || plan === name || id.startsWith(`${name}/`)
  const unknown = names.find((name) => !columns.some((column) => isMeant(column, name)))
  if (unknown !== undefined) throw new Error(`--plan ${unknown} is none of the columns, tables and plans: see --list.`)
  return names.length === 0 ? columns : columns.filter((column) => names.some((name) => isMeant(column, name)))
}
