import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const text = readFileSync(resolve(root, 'docs/conformance.md'), 'utf8')

/** The modules of a table, without repetitions. */
const modulesNamed = (prefix: string) => [
  ...new Set([...text.matchAll(new RegExp(`^\\| \`((?:${prefix})-[\\w-]+)\``, 'gm'))].map(([, name = '']) => name)),
]

function testsIn(directory: string, files: RegExp): string {
  const path = resolve(root, directory)
  const found = readdirSync(path).filter((name) => files.test(name))
  return found.map((name) => readFileSync(resolve(path, name), 'utf8')).join('\n')
}

describe.each([
  [
    'issuers',
    61,
    'oid4vci-1_0-issuer|fapi2-security-profile-final(?!-client-test)',
    'test/issuer/openid4vci',
    /^conformance-.*\.test\.ts$/,
  ],
  ['verifiers', 12, 'oid4vp-1final-verifier', 'test/verifier/openid4vp', /^conformance\.test\.ts$/],
  ['wallets that present', 15, 'oid4vp-1final-wallet', 'test/wallet/openid4vp', /^conformance\.test\.ts$/],
  [
    'wallets that receive',
    15,
    'oid4vci-1_0-wallet|fapi2-security-profile-final-client-test',
    'test/wallet/openid4vci',
    /^conformance\.test\.ts$/,
  ],
] as const)('docs/conformance.md, for %s', (_whom, count, prefix, directory, files) => {
  const modules = modulesNamed(prefix)
  const tests = testsIn(directory, files)

  it(`has the ${count} modules of the two plans`, () => {
    expect(modules).toHaveLength(count)
  })

  it.each(modules)('%s has a test of its name', (name) => {
    expect(tests).toMatch(new RegExp(`'${name}['\\s]`))
  })
})
