import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ENVIRONMENT_FILE, FolderExistsError, PUBLISHED_FOLDER, writeWorld } from './trust-demo/folder.js'
import { publishFolder } from './trust-demo/publish.js'
import { makeTrustWorld } from './trust-demo/world.js'

const HELP = `Makes a small world of trust in a folder, for trials only: authorities, a registrar, certificates and signed lists.

npm run trust:demo -- FOLDER [options]
  --service URL  the service that gets the certificates (http://localhost:3000)
  --port PORT    the port of the lists (8099)
  --serve        publishes the lists of the folder at http://localhost:PORT until the program is ended
  --replace      deletes the folder of an earlier world first, with its keys
`

const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

function optionsOf(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      service: { type: 'string', default: 'http://localhost:3000' },
      port: { type: 'string', default: '8099' },
      serve: { type: 'boolean', default: false },
      replace: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [folder, ...others] = positionals
  if (values.help) return undefined
  if (folder === undefined || others.length > 0) throw new Error(`Name one folder.\n\n${HELP}`)
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('--port must be a number from 1 to 65535.')
  if (!URL.canParse(values.service) || !/^https?:$/.test(new URL(values.service).protocol))
    throw new Error('--service must be an http or https address.')
  return { ...values, folder: resolve(folder), port, listsUrl: `http://localhost:${port}` }
}

async function run(args: readonly string[]): Promise<void> {
  const options = optionsOf(args)
  if (options === undefined) return say(HELP)
  const { folder, port, listsUrl, service, serve, replace } = options
  const isThere = existsSync(join(folder, ENVIRONMENT_FILE))
  if (!(serve && isThere && !replace)) {
    if (existsSync(folder) && !replace) throw new FolderExistsError(folder)
    await writeWorld(await makeTrustWorld({ listsUrl, serviceUrl: service }), folder, { listsUrl, replace })
    say(`A world of trust for trials is in ${folder}. Its private keys are readable by their owner only.`)
    say(`\nAdd these lines to .env, and restart the service:\n\ncat ${join(folder, ENVIRONMENT_FILE)} >> .env`)
    if (!serve) say(`\nPublish the lists:\n\nnpm run trust:demo -- ${folder} --serve --port ${port}`)
  }
  if (!serve) return
  const server = publishFolder(join(folder, PUBLISHED_FOLDER))
  await new Promise<void>((started, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', started)
  })
  say(`\nThe lists are published at ${listsUrl}/lists. End the program with Ctrl+C.`)
}

try {
  await run(process.argv.slice(2))
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`)
  process.exitCode = 1
}
