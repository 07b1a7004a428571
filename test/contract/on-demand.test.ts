import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const IMPORT = /^(?:import|export) (?!type )[^;']*?from '([^']+)'|^import '([^']+)'/gms

/** Specifiers that a module imports statically. */
const importsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(([, named, bare = named]) => String(bare))

/** Finds all modules that are loaded together with a module: its static imports and their static imports. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set([entry])
  for (const path of loaded) {
    for (const specifier of importsOf(path).filter((one) => one.startsWith('.'))) {
      loaded.add(normalize(join(dirname(path), specifier.replace(/\.js$/, '.ts'))))
    }
  }
  return loaded
}

const loaded = [...loadedWith('server/process/serve.ts')]

it('the code for mobile documents is loaded with the first mobile document, not earlier', () => {
  expect(loaded).toContain('server/protocol/sd-jwt-vc/verify.ts')
  // Queries and metadata need these two modules.
  expect(loaded.filter((path) => path.startsWith('server/protocol/mdoc/')).sort()).toEqual([
    'server/protocol/mdoc/cose/algorithms.ts',
    'server/protocol/mdoc/dcql.ts',
  ])
})

it('the parsers of SVG are loaded with the first SVG, not earlier', () => {
  expect(loaded).toContain('server/images/read/read-image.ts')
  expect(loaded).not.toContain('server/images/read/svg.ts')
})

it.each(['main.ts', 'process/prepare.ts'])(
  '%s loads no part of the service before a process serves, so a primary and a migration job never load one',
  (entry) => {
    const before = [...loadedWith(`server/${entry}`)]
    expect(before).toContain('server/agent/defaults.ts')
    expect(before.filter((path) => /^server\/(?:app|router)\.ts$|^server\/wiring\/|\.router\.ts$/.test(path))).toEqual(
      [],
    )
    const packages = new Set(before.flatMap((path) => importsOf(path)))
    for (const name of ['express', 'trpc-to-openapi', 'openid-client', 'undici']) expect(packages).not.toContain(name)
  },
)

it.each(['redis', '@nats-io/transport-node', '@peculiar/x509', 'pino-pretty'])(
  '%s is loaded at its first use, not before',
  (name) => {
    const packages = new Set(loaded.flatMap((path) => importsOf(path)))
    expect(packages).toContain('express')
    expect(packages).not.toContain(name)
  },
)
