import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const IMPORT = /^(?:import|export) (?!type )[^;']*?from '(\.[^']+)'|^import '(\.[^']+)'/gms

/** All modules that are loaded with one, by the imports that are no `import()`. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set([entry])
  for (const path of loaded) {
    const text = readFileSync(path, 'utf8')
    for (const [, named, bare = named] of text.matchAll(IMPORT)) {
      loaded.add(normalize(join(dirname(path), String(bare).replace(/\.js$/, '.ts'))))
    }
  }
  return loaded
}

it('what reads and writes mobile documents is loaded when the first one comes, and not before', () => {
  const loaded = [...loadedWith('server/main.ts')]
  expect(loaded).toContain('server/protocol/sd-jwt-vc/verify.ts')
  // What queries and metadata must know.
  expect(loaded.filter((path) => path.startsWith('server/protocol/mdoc/')).sort()).toEqual([
    'server/protocol/mdoc/cose/algorithms.ts',
    'server/protocol/mdoc/dcql.ts',
  ])
})
