import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { localEnvironment, startProcess } from '../main/process.js'
import { createTestDatabase, query } from '../support/postgres.js'
import { environmentWith, SUBJECTS } from './providers/subjects.js'

async function begin() {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const subject = await SUBJECTS['vault-transit']()
  onTestFinished(() => subject.double.close())
  const KEY_ENCRYPTION_PROVIDER = `hsm:${subject.addWrapping('wrapping')}`
  const env = { ...localEnvironment(database.url), ...(await environmentWith(subject)), KEY_ENCRYPTION_PROVIDER }
  const unwraps = () => subject.double.got.filter(subject.isUnwrap).length
  return { database, subject, env, unwraps }
}

it('two processes at a first start make one key', async () => {
  const { database, env, unwraps } = await begin()
  await using first = startProcess(env)
  await using second = startProcess(env)
  await Promise.all([first.url(), second.url()])
  const rows = await query(database.url, 'SELECT id FROM envelope_keys')
  expect(rows).toHaveLength(1)
  // One process checks the key that it made, the other process unwraps it.
  expect(unwraps()).toBe(2)
})

const childrenOf = async (pid: number | undefined) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number)

it('workers get the key from their primary process: one unwrap for all, and a new worker starts without the provider', async () => {
  const { database, subject, env, unwraps } = await begin()
  await using service = startProcess({ ...env, WEB_CONCURRENCY: '2', LOG_LEVEL: 'trace' })
  await service.logged('listening', 2)
  expect(unwraps()).toBe(1)
  const [row] = await query<{ id: string; wrapped: string }>(database.url, 'SELECT id, wrapped FROM envelope_keys')
  const opened = await (await subject.open()).unwrap?.(
    'wrapping',
    row?.wrapped ?? '',
    `envelope-key:${row?.id}`,
    AbortSignal.timeout(30_000),
  )
  const key = Buffer.from(opened ?? [])
  expect(key).toHaveLength(32)
  const asked = unwraps()
  subject.double.faults.api = () => ({ status: 503, body: {} })
  subject.double.faults.credentials = () => ({ status: 503, body: {} })
  for (const worker of await childrenOf(service.child.pid)) process.kill(worker, 'SIGKILL')
  const lines = await service.logged('listening', 4)
  const url = `http://127.0.0.1:${lines.at(-1)?.port}`
  const answer = await fetch(`${url}/agent/issuer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"method":"web"}',
  })
  expect(answer.status).toBe(201)
  expect(unwraps()).toBe(asked)
  // The key goes over the channel between the processes alone. Arguments and environment of a process are readable by others.
  const pids = [service.child.pid, ...(await childrenOf(service.child.pid))]
  expect(pids).toHaveLength(3)
  const shown = await Promise.all(
    pids.flatMap((pid) => ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8'))),
  )
  expect(shown.join()).toContain('KEY_ENCRYPTION_PROVIDER')
  const everything = [...shown, service.stdout(), service.stderr()].join('\n')
  for (const form of ['hex', 'base64', 'base64url'] as const)
    expect(everything).not.toContain(key.toString(form).replaceAll('=', ''))
})

it('the migration job prepares the database, and ends by name while the provider is away', async () => {
  const { database, subject, env } = await begin()
  await using job = startProcess(env, 'process/prepare.js')
  expect([await job.exit(), job.stderr()]).toEqual([0, ''])
  expect(await query(database.url, 'SELECT id FROM envelope_keys')).toHaveLength(1)
  subject.double.faults.api = () => ({ status: 503, body: {} })
  await using away = startProcess(env, 'process/prepare.js')
  expect(await away.exit()).toBe(1)
  expect(away.stderr()).toMatch(
    /^KEY_ENCRYPTION_PROVIDER \(hsm:wrapping\): the key-encryption key \S+ cannot be unwrapped/,
  )
})
