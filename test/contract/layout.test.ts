import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import config, { processes, unit } from '../../vitest.config.js'

const root = resolve(import.meta.dirname, '../..')

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.test.ts'),
)

it('each test folder of a part of server/ has a folder with the same path in server/', () => {
  const isOfServer = (folder: string) => folder !== '.' && existsSync(join(root, 'server', folder.split('/')[0] ?? ''))
  const folders = [...new Set(tests.map(dirname))].filter(isOfServer)
  expect(folders.filter((folder) => !existsSync(join(root, 'server', folder)))).toEqual([])
  expect(folders.length).toBeGreaterThan(20)
})

it('every test that the projects name exists', () => {
  const named = [...unit, ...processes].filter((path) => !path.includes('*'))
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(config.test?.projects).toHaveLength(3)
})
