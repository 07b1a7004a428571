import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SERVICE } from '../../server/service/release.js'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version }: { version: string } = JSON.parse(read('package.json'))

/** The versions of a changelog, the newest first, as its headings have them. */
const versionsOf = (changelog: string) => [...changelog.matchAll(/^## \[?(\d[\w.-]*)\]?/gm)].map(([, name]) => name)

describe('the version', () => {
  it('is the same in package.json, the lock file, the client, and the running service', () => {
    expect(JSON.parse(read('package-lock.json')).version).toBe(version)
    expect(JSON.parse(read('client/package.json')).version).toBe(version)
    expect(SERVICE.version).toBe(version)
  })

  it('is the version in the README', () => {
    expect(read('README.md')).toContain(`version ${version}`)
    for (const [, name] of read('README.md').matchAll(/credence-client-([\d.]+)\.tgz/g)) expect(name).toBe(version)
  })

  it('is the newest entry of both changelogs', () => {
    expect(versionsOf(read('CHANGELOG.md'))[0]).toBe(version)
    expect(versionsOf(read('client/CHANGELOG.md'))[0]).toBe(version)
  })

  it('is the tag of the image that the deployment files name', () => {
    for (const overlay of ['single', 'production']) {
      const file = read(`deploy/kubernetes/overlays/${overlay}/kustomization.yaml`)
      expect([...file.matchAll(/newTag: (.+)/g)].map(([, tag]) => tag)).toEqual([version])
    }
  })
})

describe('CHANGELOG.md', () => {
  const entries = read('CHANGELOG.md').split(/^## /m).slice(1)

  it('has an entry for unreleased changes, and each entry says what an operator must do', () => {
    expect(entries[0]).toMatch(/^\[Unreleased\]/)
    for (const entry of entries) expect(entry).toContain('### What an operator must do')
  })

  it('names existing migrations only', () => {
    const named = [...read('CHANGELOG.md').matchAll(/`(\d{14}_\w+)`/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(0)
    for (const name of named) expect(() => read(`prisma/migrations/${name}/migration.sql`), name).not.toThrow()
  })
})
