import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'dotenv'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decodeCompact } from '../../server/protocol/jose/jws.js'
import { closeServer, listenLocally } from '../support/local-server.js'
import { runTask } from '../support/maintenance.js'
import { startService } from '../support/service.js'
import { newWallet } from '../support/wallet.js'
import { listsOf } from '../trust/lists.js'
import { ask } from '../verifier/actors.js'

let parent: string
let folder: string
const publishers: ChildProcess[] = []

const program = (args: readonly string[]) => ['--import', 'tsx', 'scripts/trust-demo.ts', ...args]

/** Runs the program to its end. */
const run = (...args: readonly string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) =>
    execFile(process.execPath, program(args), (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    ),
  )

async function freePort(): Promise<string> {
  const server = createServer()
  const url = await listenLocally(server)
  await closeServer(server)
  return new URL(url).port
}

/** Publishes the lists of a folder. Makes the world first if the folder is missing. @returns what the program said */
async function publish(...args: readonly string[]): Promise<string> {
  const publishing = spawn(process.execPath, program([...args, '--serve']), { stdio: 'pipe' })
  publishers.push(publishing)
  let output = ''
  for await (const part of publishing.stdout) {
    output += part
    if (output.includes('The lists are published')) break
  }
  return output
}

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'credence-world-'))
  folder = join(parent, 'world')
  expect((await run(folder)).output).toContain(`cat ${join(folder, 'service.env')} >> .env`)
})

afterAll(async () => {
  for (const publisher of publishers) {
    publisher.kill()
    await once(publisher, 'exit')
  }
  await rm(parent, { recursive: true })
})

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

it('only the owner can read a file of the world that has a private key', async () => {
  const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const secret: string[] = []
  for (const path of paths) {
    if (!(await readFile(path, 'latin1')).includes('PRIVATE KEY')) continue
    secret.push(path)
    expect([path, await modeOf(path)]).toEqual([path, 0o600])
  }
  expect(secret).toHaveLength(9)
})

it('each list describes its scheme, as the profiles of TS 119 602 demand', async () => {
  const lists = join(folder, 'published', 'lists')
  const files = (await readdir(lists)).filter((file) => file.endsWith('.jwt'))
  expect(files).toHaveLength(5)
  for (const file of files) {
    const { LoTE } = decodeCompact(await readFile(join(lists, file), 'utf8')).payload as {
      LoTE: { ListAndSchemeInformation: Record<string, unknown> }
    }
    expect([file, Object.keys(LoTE.ListAndSchemeInformation).sort()]).toEqual([
      file,
      [
        'ListIssueDateTime',
        'LoTESequenceNumber',
        'LoTEType',
        'LoTEVersionIdentifier',
        'NextUpdate',
        'PolicyOrLegalNotice',
        'SchemeInformationURI',
        'SchemeName',
        'SchemeOperatorAddress',
        'SchemeOperatorName',
        'SchemeTerritory',
        'SchemeTypeCommunityRules',
        'StatusDeterminationApproach',
      ],
    ])
  }
})

it('a world is never written over another one by mistake, and no other folder is ever deleted', async () => {
  const before = await readFile(join(folder, 'verifier.pem'), 'utf8')
  expect(await run(folder)).toEqual({
    code: 1,
    output: expect.stringContaining(`${folder} exists. Name another folder`),
  })
  expect(await readFile(join(folder, 'verifier.pem'), 'utf8')).toBe(before)
  await writeFile(join(parent, 'notes'), 'mine')
  expect(await run(parent, '--replace')).toMatchObject({ code: 1 })
  expect(await readFile(join(parent, 'notes'), 'utf8')).toBe('mine')
  const other = join(parent, 'other')
  expect((await run(other)).code).toBe(0)
  const first = await readFile(join(other, 'verifier.pem'), 'utf8')
  expect((await run(other, '--replace')).code).toBe(0)
  expect(await readFile(join(other, 'verifier.pem'), 'utf8')).not.toBe(first)
})

it.each([
  [[], 'Name one folder.'],
  [['a', 'b'], 'Name one folder.'],
  [['a', '--port', '0'], '--port must be a number from 1 to 65535.'],
  [['a', '--service', 'localhost:3000'], '--service must be an http or https address.'],
])('the program refuses %j by name', async (args, message) => {
  expect(await run(...args)).toEqual({ code: 1, output: expect.stringContaining(message) })
})

it('the access certificate has what its policy demands (TS 119 411-8 §6.6.1)', async () => {
  const certificate = new X509Certificate(await readFile(join(folder, 'verifier.pem'), 'utf8'))
  const authority = new X509Certificate(await readFile(join(folder, 'certificates/access-ca.pem'), 'utf8'))
  expect(certificate.verify(authority.publicKey)).toBe(true)
  expect(certificate.subject.split('\n')).toEqual([
    'C=DE',
    'O=Example Shop GmbH',
    'organizationIdentifier=VATDE-123456789',
    'CN=Example Shop GmbH',
  ])
  expect(certificate.subjectAltName).toContain('URI:https://party.example/support, email:support@party.example')
})

it('a service with the printed variables trusts the world: its lists are usable, and its wallets answer its verifier', async () => {
  const port = await freePort()
  const own = join(parent, 'own')
  await using service = await startService({
    maintenance: false,
    env: async (url) => {
      expect(await publish(own, '--port', port, '--service', url)).toContain(`http://localhost:${port}/lists`)
      return parse(await readFile(join(own, 'service.env')))
    },
  })
  const lists = await listsOf(service).all()
  expect(lists).toHaveLength(6)
  for (const { id, url } of lists) {
    const { outcome, list } = (await listsOf(service).refresh(id)).json
    expect([url, outcome, list.state, list.entities > 0]).toEqual([url, 'changed', 'usable', true])
  }
  // The maintenance job looks at the registration certificate after the lists are read.
  for (const task of service.features.registrationWatch.tasks) await runTask(task, new Date(Date.now() + 30_000))
  const wallet = await newWallet(service)
  const asked = await ask(service, {
    dcqlQuery: { credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }] },
    intendedUse: 'trust-demo',
  })
  expect(asked.authorizationRequestUri).toContain('x509_hash')
  // The wallet accepts the verifier. It only has no credential for it.
  const answer = await wallet.process(asked.authorizationRequestUri)
  expect(answer.text).toContain('Could not find the required credentials')
})
