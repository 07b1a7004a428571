import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { projectDirectory } from '../../server/database/migrations.js'

export const USAGE = `npm run eu:wallet -- [options]

Runs the wallet libraries of the EU against this service. Needs Maven and a JDK (17 or later).

  --checkouts DIR  compiles the libraries from checkouts of their tags first, if the registry has only older versions;
                   DIR has a folder with the name of each repository
  --port NUMBER    port of the service's TLS (default 9543); the one after it publishes the trusted lists
  --out DIR        certificates, log and the world of the run (default .data/eu-wallet)
`

export interface Options {
  readonly checkouts: string | undefined
  readonly port: number
  readonly out: string
  readonly help: boolean
}

/** The highest port that leaves one for the lists. */
const LAST_PORT = 65_534

/** Reads the options of the command line. @throws {Error} with a sentence for the user if the arguments are invalid */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      checkouts: { type: 'string' },
      port: { type: 'string', default: '9543' },
      out: { type: 'string', default: join(projectDirectory(), '.data', 'eu-wallet') },
      help: { type: 'boolean', default: false },
    },
  })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 1 || port > LAST_PORT)
    throw new Error(`--port is a number from 1 to ${LAST_PORT}.`)
  return {
    checkouts: values.checkouts === undefined ? undefined : resolve(values.checkouts),
    port,
    out: resolve(values.out),
    help: values.help,
  }
}
