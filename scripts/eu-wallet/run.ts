import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { productAt } from '../conformance/installation/product.js'
import { startService } from '../conformance/installation/service.js'
import { trustingFetch } from '../conformance/trusting-fetch.js'
import { PUBLISHED_FOLDER } from '../trust-demo/folder.js'
import { publishFolder } from '../trust-demo/publish.js'
import { readOptions, USAGE } from './options.js'
import { buildProgram, runProgram } from './program.js'
import { makeRunWorld, type RunWorld, SCHEMA } from './world.js'

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Makes the type of the run, and waits until the service has read each list. */
async function prepare(url: string, { authorities }: RunWorld): Promise<void> {
  const product = productAt(url, trustingFetch([...rootCertificates, await readFile(authorities, 'utf8')]))
  await product.post('/schemas', SCHEMA)
  const { items } = await product.get<{ items: readonly { id: string }[] }>('/api/v1/trust-lists')
  for (const { id } of items) {
    const { list } = await product.post<{ list: { state: string } }>(`/api/v1/trust-lists/${id}/refresh`, {})
    if (list.state !== 'usable') throw new Error(`A trusted list of the run cannot be used: ${JSON.stringify(list)}`)
  }
}

/** Runs `npm run eu:wallet`. The exit code is 1 if a step fails. */
export async function run(args: readonly string[]): Promise<void> {
  const { checkouts, port, out, help } = readOptions(args)
  if (help) return say(USAGE)
  say('Building the program …')
  await buildProgram(checkouts)
  const url = `https://localhost:${port}`
  const world = await makeRunWorld(out, url, `http://localhost:${port + 1}`)
  const lists = publishFolder(join(world.folder, PUBLISHED_FOLDER))
  lists.listen(port + 1, '127.0.0.1')
  await once(lists, 'listening')
  try {
    const { settings, tlsPem, authorities } = world
    const end = await startService({ settings, port, tlsPem, authorities, logFile: join(out, 'service.log') })
    try {
      await prepare(url, world)
      say(`The service answers at ${url}.\n`)
      process.exitCode = await runProgram(world.file)
    } finally {
      await end()
    }
  } finally {
    lists.closeAllConnections()
    lists.close()
  }
}
