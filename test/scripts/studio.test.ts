import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { isRunning } from '../../scripts/launch/lock.mjs'
import { freePort, isFree } from '../../scripts/postgres/free-port.js'
import { Project } from './project.js'

let project: Project

beforeAll(async () => {
  project = await Project.create()
})

afterAll(() => project.remove())

async function expectStudio(port: number): Promise<void> {
  const page = await fetch(`http://127.0.0.1:${port}/`)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  // The port is bound to this address only, so it is free on the other addresses of this machine.
  await expect(isFree(port, '127.0.0.2')).resolves.toBe(process.platform === 'linux')
}

it('npm run studio serves Prisma Studio on the embedded database, which it starts and stops itself', async () => {
  const port = await freePort()
  const run = project.run('studio.mjs', {}, ['--port', String(port)])
  await run.until(`running at: http://localhost:${port}`)
  await expectStudio(port)
  const postgres = (await project.postgresPid()) ?? 0
  expect(isRunning(postgres)).toBe(true)
  run.child.kill('SIGTERM')
  await run.exit
  expect(isRunning(postgres)).toBe(false)
})

it('npm run studio uses the database of DATABASE_URL if it is set', async () => {
  const port = await freePort()
  const run = project.run('studio.mjs', { DATABASE_URL: inject('databaseServer').url }, ['--port', String(port)])
  await run.until(`running at: http://localhost:${port}`)
  await expectStudio(port)
  await expect(project.postgresPid()).resolves.toBeNull()
  run.child.kill('SIGTERM')
  await run.exit
})
