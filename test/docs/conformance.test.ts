import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const tests = resolve(root, 'test/issuer/openid4vci')

/** The modules of the table, each once. */
const modules = [
  ...new Set(
    [...readFileSync(resolve(root, 'docs/conformance.md'), 'utf8').matchAll(/^\| `((?:oid4vci|fapi2)-[\w-]+)`/gm)].map(
      ([, name = '']) => name,
    ),
  ),
]

const texts = readdirSync(tests)
  .filter((name) => /^conformance-.*\.test\.ts$/.test(name))
  .map((name) => readFileSync(resolve(tests, name), 'utf8'))
  .join('\n')

describe('docs/conformance.md', () => {
  it('has the 61 modules of the two plans', () => {
    expect(modules).toHaveLength(61)
  })

  it.each(modules)('%s has a test of its name', (name) => {
    expect(texts).toMatch(new RegExp(`'${name}['\\s]`))
  })
})
