import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { isRunning } from '../../scripts/launch/lock.mjs'
import { Project, untilGone } from './project.js'

const failed = { code: 1, signal: null }

let project: Project

beforeAll(async () => {
  project = await Project.create()
})

afterAll(() => project.remove())
afterEach(() => project.clearJournal())

it('the runner is killed: the service stops, then PostgreSQL', async () => {
  const run = await project.start()
  const { service, postgres, supervisor } = await project.processes()
  run.child.kill('SIGKILL')
  await Promise.all([service, postgres, supervisor].map(untilGone))
  expect((await project.journal()).at(-1)).toEqual({ signal: 'SIGTERM', databaseAnswers: true })
})

it('the service is killed: PostgreSQL stops and the command fails', async () => {
  const run = await project.start()
  const { service, postgres } = await project.processes()
  process.kill(service, 'SIGKILL')
  await expect(run.exit).resolves.toEqual(failed)
  expect(run.output()).toContain('The service was ended by SIGKILL.')
  expect(isRunning(postgres)).toBe(false)
})

it('PostgreSQL is killed: the service stops, the command fails, and the next start recovers', async () => {
  const run = await project.start()
  const { service, postgres } = await project.processes()
  process.kill(postgres, 'SIGKILL')
  await expect(run.exit).resolves.toEqual(failed)
  expect(run.output()).toContain('PostgreSQL ended unexpectedly')
  expect(isRunning(service)).toBe(false)
  await expect(project.postgresPid()).resolves.toBe(postgres)

  const next = await project.start()
  next.child.kill('SIGTERM')
  await next.exit
})

it('the supervisor is killed: the command stops the service and PostgreSQL itself', async () => {
  const run = await project.start()
  const { service, postgres, supervisor } = await project.processes()
  process.kill(supervisor, 'SIGKILL')
  await expect(run.exit).resolves.toEqual(failed)
  await Promise.all([service, postgres].map(untilGone))
})

it('everything but PostgreSQL is killed: the next start stops the remaining PostgreSQL, and continues', async () => {
  const run = await project.start()
  const { service, postgres, supervisor } = await project.processes()
  for (const pid of [run.child.pid ?? 0, supervisor, service]) process.kill(pid, 'SIGKILL')
  await run.exit
  expect(isRunning(postgres)).toBe(true)

  const next = await project.start()
  await untilGone(postgres)
  next.child.kill('SIGTERM')
  await next.exit
})

it('a postmaster.pid with the number of another program, as after a restart of the machine, does not prevent the start', async () => {
  await writeFile(join(project.directory, '.data', 'postgres', 'postmaster.pid'), `${process.pid}\n/nowhere\n`)
  const run = await project.start()
  run.child.kill('SIGTERM')
  await expect(run.exit).resolves.toEqual({ code: 0, signal: null })
})
