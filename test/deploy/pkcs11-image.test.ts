import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageDirectory } from '../../server/keys/providers/pkcs11/library.js'
import { read, root } from './environment.js'

/** The instructions of a Dockerfile, without comments. */
const instructionsOf = (file: string) =>
  read(file)
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/))

const own = instructionsOf('deploy/pkcs11/Dockerfile')
const base = instructionsOf('Dockerfile')
const all = (instructions: readonly string[][], name: string) =>
  instructions.filter(([instruction]) => instruction === name).map(([, ...words]) => words)

describe('deploy/pkcs11/Dockerfile', () => {
  it('copies files that its context has: the folder scripts', () => {
    const sources = all(own, 'COPY').flatMap((words) => (words[0]?.startsWith('--') ? [] : words.slice(0, -1)))
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.filter((source) => !existsSync(join(root, 'scripts', source)))).toEqual([])
  })

  it('puts the package where the service looks for it', () => {
    const folder = relative(root, packageDirectory())
    const [workdir] = all(base, 'WORKDIR').at(-1) ?? []
    expect(all(own, 'COPY').at(-1)).toEqual(['--from=package', `${workdir}/${folder}`, folder])
    expect(all(own, 'WORKDIR')).toEqual([[workdir]])
  })

  it('compiles the package for the Node.js of the image, and runs as its user', () => {
    const [service] = all(base, 'FROM').at(-1) ?? []
    expect(all(own, 'FROM')[0]?.[0]).toBe(service)
    expect(all(own, 'USER').at(-1)).toEqual(all(base, 'USER').at(-1))
  })
})
