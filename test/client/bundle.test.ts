import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programOf } from '../../scripts/setup/run-program.js'

const root = resolve(import.meta.dirname, '../..')
const sources = readdirSync(join(root, 'client')).map((name) => join(root, 'client', name))
const json = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))

let built: string

beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'credence-client-'))
  const { compilerOptions } = json('tsconfig.json')
  execFileSync(process.execPath, [
    programOf('typescript', 'tsc'),
    // The client's files alone, as the build compiles them: what they import is left to whoever runs them.
    ...[
      '--ignoreConfig',
      '--noCheck',
      '--noResolve',
      '--removeComments',
      '--verbatimModuleSyntax',
      String(compilerOptions.verbatimModuleSyntax),
    ],
    ...['--module', compilerOptions.module, '--target', compilerOptions.target, '--outDir', built],
    ...sources,
  ])
})
afterAll(() => rmSync(built, { recursive: true, force: true }))

/** Every module that a file of the built client loads, directly or through its own files. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  const text = readFileSync(file, 'utf8')
  const imports = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*(['"])(?<module>[^'"]+)\1/g)
  for (const { groups } of imports) {
    const name = groups?.module ?? ''
    const target = name.startsWith('.') ? resolve(dirname(file), name) : name
    if (seen.has(target)) continue
    seen.add(target)
    if (name.startsWith('.') && target.startsWith(built)) importsOf(target, seen)
  }
  return seen
}

describe('what a first party bundles', () => {
  it('is the client and its packages: no code of the service', () => {
    const imports = [...importsOf(join(built, 'index.js'))]

    const packages = imports.filter((name) => !name.startsWith('/'))
    const files = imports.filter((name) => name.startsWith('/'))
    expect(packages.sort()).toEqual([
      '@trpc/client',
      '@trpc/server/observable',
      '@trpc/server/rpc',
      'eventsource',
      'superjson',
    ])
    expect(files.map((file) => dirname(file))).toEqual(files.map(() => built))
    expect(files.length).toBeGreaterThan(0)
  })

  it('is where package.json says, for the build and for types', () => {
    const { compilerOptions, include } = json('tsconfig.build.json')

    expect(json('package.json').exports['./client']).toEqual({
      types: './dist/client/index.d.ts',
      default: './dist/client/index.js',
    })
    expect(compilerOptions).toMatchObject({ rootDir: '.', outDir: 'dist', declaration: true })
    expect(include).toContain('client')
  })
})
