import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const server = join(import.meta.dirname, '../../server')

/** The rooms of server/, from the top down. A room imports rooms of its own floor and of lower floors. */
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
    ...['setup', 'settings', 'audit', 'statistics', 'health', 'service', 'maintenance', 'pages', 'exports'],
  ],
  ['api', 'auth', 'keys', 'metrics', 'database', 'outbound', 'log', 'config'],
  ['formats'],
  ['protocol'],
]

/** Imports that run up, of types alone: the table of contents is made of the features that the wiring makes. */
const UPWARD = ['router.ts -> wiring/features.ts']

const roomOf = (path: string): string => path.split('/')[0] ?? ''
const floorOf = (path: string): number => FLOORS.findIndex((rooms) => rooms.includes(roomOf(path)))

const sources = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('generated'),
)

/** Every import of one source by another, `import()` and types too. */
const imports = sources.flatMap((from) => {
  const text = readFileSync(join(server, from), 'utf8')
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)]
    .map(([, specifier = '']) => normalize(join(dirname(from), `${specifier}.ts`)))
    .filter((to) => !to.startsWith('generated') && !to.startsWith('..'))
    .map((to) => ({ from, to }))
})

// ARCHITECTURE.md, "The import rule".
describe('imports run down', () => {
  it('every source is in a room that has a floor', () => {
    expect(sources.filter((path) => floorOf(path) < 0)).toEqual([])
    expect(imports.length).toBeGreaterThan(3_000)
  })

  it('no room imports from a higher floor', () => {
    const upward = imports
      .filter(({ from, to }) => floorOf(to) < floorOf(from))
      .map(({ from, to }) => `${from} -> ${to}`)
    expect(upward.sort()).toEqual(UPWARD)
  })
})
