import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const server = join(import.meta.dirname, '../../server')

/** The layers of server/, from the top down. A folder imports only folders of its own layer and of lower layers. */
const FLOORS: readonly (readonly string[])[] = [
  ['main.ts'],
  ['process'],
  ['wiring'],
  ['app.ts'],
  ['http', 'router.ts'],
  [
    ...[
      'issuer',
      'verifier',
      'wallet',
      'people-pages',
      'agent',
      'dids',
      'key-rotation',
      'status-lists',
      'events',
      'console',
    ],
    ...[
      'setup',
      'settings',
      'audit',
      'search',
      'statistics',
      'health',
      'service',
      'maintenance',
      'names',
      'pages',
      'exports',
      'images',
      'webhooks',
      'idempotency',
      'trust',
    ],
  ],
  ['api', 'auth', 'keys', 'metrics', 'database', 'outbound', 'log', 'config'],
  ['formats'],
  ['protocol'],
]

/**
 * The only allowed imports from a higher layer. They import only types: router.ts takes the types of the features from
 * the wiring.
 */
const UPWARD = ['router.ts -> wiring/features.ts']

const roomOf = (path: string): string => path.split('/')[0] ?? ''
const floorOf = (path: string): number => FLOORS.findIndex((rooms) => rooms.includes(roomOf(path)))

const sources = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('generated'),
)

/** Every import between sources, also `import()` and imports of types. */
const imports = sources.flatMap((from) => {
  const text = readFileSync(join(server, from), 'utf8')
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)]
    .map(([, specifier = '']) => normalize(join(dirname(from), `${specifier}.ts`)))
    .filter((to) => !to.startsWith('generated') && !to.startsWith('..'))
    .map((to) => ({ from, to }))
})

// ARCHITECTURE.md, "The import rule".
describe('imports run down', () => {
  it('every source is in a folder with a layer', () => {
    expect(sources.filter((path) => floorOf(path) < 0)).toEqual([])
    expect(imports.length).toBeGreaterThan(3_000)
  })

  it('no folder imports from a higher layer', () => {
    const upward = imports
      .filter(({ from, to }) => floorOf(to) < floorOf(from))
      .map(({ from, to }) => `${from} -> ${to}`)
    expect(upward.sort()).toEqual(UPWARD)
  })
})
