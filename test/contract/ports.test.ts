import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const server = join(import.meta.dirname, '../../server')

/** The sources of the service by their paths below server/, without generated code. */
const sources = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
  .map((path) => ({ path, text: readFileSync(join(server, path), 'utf8') }))

const isWiring = (path: string) => path.startsWith('wiring/')

/** The maximum number of ports of a feature, or of an operation of a feature. */
const MAX_PORTS = 9

const PORTS = /interface (\w*Ports)\b[^{]*\{\n([\s\S]*?)\n\}/g

const portsIn = (text: string) =>
  [...text.matchAll(PORTS)].map(([, name = '', body = '']) => ({
    name,
    members: body.split('\n').filter((line) => /^ {2}(?:readonly )?\w+\??[:(]/.test(line)).length,
  }))

// ARCHITECTURE.md, "How a feature is made".
describe('features receive their own ports', () => {
  it('no part of the service receives everything that the wiring knows', () => {
    const knowing = sources.filter(({ path, text }) => !isWiring(path) && /\bPlatform\b/.test(text))
    expect(knowing.map(({ path }) => path)).toEqual([])
  })

  it('only the serving process imports the wiring, and only router.ts imports the type of the features', () => {
    const importing = sources.filter(({ path, text }) => !isWiring(path) && /from '(?:\.\.?\/)+wiring\//.test(text))
    expect(importing.map(({ path }) => path).sort()).toEqual(['process/serve.ts', 'router.ts'])
  })

  it(`each lists at most ${MAX_PORTS} ports`, () => {
    const listed = sources.flatMap(({ path, text }) => portsIn(text).map((ports) => ({ path, ...ports })))
    expect(listed.length).toBeGreaterThan(100)
    expect(listed.filter(({ members }) => members === 0)).toEqual([])
    expect(listed.filter(({ members }) => members > MAX_PORTS)).toEqual([])
  })

  it('no feature has the store of another feature as a port', () => {
    const bags = sources.filter(
      ({ path, text }) => !isWiring(path) && /^ {2}readonly (?:stores|features|deps)\b/m.test(text),
    )
    expect(bags.map(({ path }) => path)).toEqual([])
  })

  it('the context of a request has only parts of the request', () => {
    const context = sources.find(({ path }) => path === 'api/context.ts')?.text ?? ''
    const [, body = ''] = /export interface Context \{\n([\s\S]*?)\n\}/.exec(context) ?? []
    const members = [...body.matchAll(/^ {2}readonly (\w+):/gm)].map(([, name]) => name)
    expect(members).toEqual([
      ...['request', 'access', 'changing', 'once', 'calls'],
      ...['production', 'responseHeaders', 'otherForm', 'work'],
    ])
  })
})
