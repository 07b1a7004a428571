import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'

const zNames = z.record(z.string(), z.string()).default({})
const zLockFile = z.object({
  packages: z.record(z.string(), z.object({ dependencies: zNames, optionalDependencies: zNames })),
})

const FOLDER = 'node_modules/'

/** Returns the folders in which Node searches the dependencies of a package, the nearest first. */
function foldersFor(path: string, name: string): string[] {
  const parts = path === '' ? [] : path.split(`/${FOLDER}`)
  return [...parts.keys(), parts.length]
    .map((count) => [...parts.slice(0, count), name].join(`/${FOLDER}`))
    .map((folder) => (folder.startsWith(FOLDER) ? folder : `${FOLDER}${folder}`))
}

/** Finds dependencies of packages for which a lock file has no entry. `npm ci` would refuse such a lock file. */
function missingIn(text: string): string[] {
  const { packages } = zLockFile.parse(JSON.parse(text))
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !foldersFor(path, name).some((folder) => Object.hasOwn(packages, folder)))
      .map((name) => `${path === '' ? 'the project' : path} needs ${name}`),
  )
}

it.each(['package-lock.json', 'bench/peers/package-lock.json'])(
  '%s has an entry for every package that its packages need, also for optional packages of other platforms',
  (file) => {
    expect(missingIn(readFileSync(file, 'utf8'))).toEqual([])
  },
)

it('a package that is missing, or only installed below another package, is reported', () => {
  const packages = {
    '': { dependencies: { a: '1' } },
    'node_modules/a': { dependencies: { '@of/b': '1' }, optionalDependencies: { c: '1' } },
    'node_modules/a/node_modules/@of/b': { dependencies: { d: '1', a: '1' } },
    'node_modules/x/node_modules/c': {},
    'node_modules/a/node_modules/d': {},
  }
  expect(missingIn(JSON.stringify({ packages }))).toEqual(['node_modules/a needs c'])
})
