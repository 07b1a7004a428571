import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { fits } from '../../scripts/launch/node-version.mjs'
import { unit } from '../../vitest.config.js'
import { features } from '../../vitest.versions.config.js'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const zManifest = z.looseObject({ engines: z.object({ node: z.string() }) })
const zWorkflow = z.looseObject({
  jobs: z.looseObject({
    tests: z.looseObject({ strategy: z.looseObject({ matrix: z.object({ node: z.array(z.number()) }) }) }),
  }),
})

const { node: supported } = zManifest.parse(JSON.parse(read('package.json'))).engines
const ranges = [...supported.matchAll(/(\^|>=)((\d+)\.(\d+))\.\d+/g)].map(([, sign, least, major, minor]) => {
  if (minor !== '0') return `${major} (${least} or later)`
  return sign === '>=' ? `${major} and later` : `${major}`
})
const releases = [...supported.matchAll(/\d+(?=\.\d+\.\d+)/g)].map(([major]) => Number(major))

describe('the supported versions of Node.js', () => {
  it.each(['20.19.0', '20.20.2', '22.12.0', '22.23.3', '24.0.0', '24.21.0', '26.0.0', '26.10.0', '27.1.0'])(
    'include %s',
    (version) => {
      expect(fits(version, supported)).toBe(true)
    },
  )

  it.each(['12.22.0', '18.20.8', '20.18.3', '21.7.3', '22.11.0', '23.11.1', '25.9.0'])(
    'do not include %s',
    (version) => {
      expect(fits(version, supported)).toBe(false)
    },
  )

  it('are the versions that the workflow tests', () => {
    const { node } = zWorkflow.parse(parse(read('.github/workflows/ci.yml'))).jobs.tests.strategy.matrix
    expect(node).toEqual(releases)
  })

  it('are the versions that both packages declare and both README files name', () => {
    expect(releases).toEqual([20, 22, 24, 26])
    expect(zManifest.parse(JSON.parse(read('client/package.json'))).engines.node).toBe(supported)
    const [oldest, ...current] = ranges
    expect(current).toHaveLength(3)
    for (const file of ['README.md', 'client/README.md']) {
      const text = read(file).replaceAll(/\s+/g, ' ')
      expect(text).toContain(`Node ${current.slice(0, -1).join(', ')}, or ${current.at(-1)}.`)
      expect(text).toContain(`Node ${oldest} still works.`)
    }
  })

  it('include the version of the container image', () => {
    const images = [...read('Dockerfile').matchAll(/^FROM node:(\d+)-slim/gm)].map(([, major]) => Number(major))
    expect(images.length).toBeGreaterThan(0)
    for (const major of images) expect(releases).toContain(major)
  })
})

describe('the test files that run on every supported version', () => {
  const folders = readdirSync(new URL('../../server', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(new URL(`../${entry.name}`, import.meta.url)))
    .map(({ name }) => name)
  // The folder `keys` is tested in a different process.
  const elsewhere = ['keys']

  it('exist', () => {
    expect(features.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))).toEqual([])
  })

  it('cover each folder of the service that has tests', () => {
    const covered = (folder: string) => [...unit, ...features].some((file) => file.startsWith(`test/${folder}/`))
    expect(folders.length).toBeGreaterThan(20)
    expect(folders.filter((folder) => !elsewhere.includes(folder) && !covered(folder))).toEqual([])
  })
})
