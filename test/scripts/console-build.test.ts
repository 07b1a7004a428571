import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { programOf } from '../../scripts/launch/run-program.js'

/** Builds the console in an environment. Returns all files by their names. */
async function built(environment: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-console-'))
  const options = ['build', '--config', 'client/console/vite.config.ts', '--outDir', directory, '--logLevel', 'warn']
  await promisify(execFile)(process.execPath, [programOf('vite'), ...options], {
    env: { ...process.env, ...environment },
  })
  const names = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const contents = await Promise.all(
    files.map(async (file) => [file.slice(directory.length), await readFile(file, 'base64')]),
  )
  await rm(directory, { recursive: true })
  return Object.fromEntries(contents)
}

it('two builds of the console are the same bytes, in any environment', async () => {
  const first = await built({ NODE_ENV: 'production' })
  expect(Object.keys(first).length).toBeGreaterThan(10)
  expect(await built({ NODE_ENV: 'development', TZ: 'Asia/Tokyo' })).toEqual(first)
})
