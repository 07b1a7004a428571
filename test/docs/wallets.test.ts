import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const docs = resolve(import.meta.dirname, '../../docs')
/** If two versions of a library are installed, the earlier version has its own name: `npm:<library>@<version>`. */
const versions: Record<string, string> = Object.fromEntries(
  Object.entries({ ...packageJson.dependencies, ...packageJson.devDependencies }).map(([name, version]) => [
    name,
    version.replace(/^npm:.+@/, ''),
  ]),
)

const rows = readFileSync(resolve(docs, 'wallets.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, what = '', version = '', date = '', , tests = ''] = line.split('|').map((cell) => cell.trim())
    const paths = [...tests.matchAll(/\]\((.+?)\)/g)].map(([, path = '']) => resolve(docs, path))
    return { library: /^`(.+?)`/.exec(what)?.[1] ?? '', what, version, date, paths }
  })

/** Whether a test imports a library, directly or through another test module that it imports or runs in a worker. */
function uses(file: string, library: string, seen = new Set<string>()): boolean {
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (text.includes(`from '${library}'`)) return true
  const modules = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, path]) => `${path}.ts`)
  const workers = [...text.matchAll(/new URL\('([^']+\.mjs)', import\.meta\.url\)/g)].map(([, path = '']) => path)
  const imported = [...modules, ...workers].map((path) => resolve(dirname(file), path))
  return imported.some((path) => path.includes('/test/') && !seen.has(path) && uses(path, library, seen))
}

describe('docs/wallets.md', () => {
  it('has a row for each other library that acts as a wallet, an issuer or a verifier', () => {
    expect(rows.map(({ library }) => library)).toEqual(
      expect.arrayContaining(['@openid4vc/openid4vci', '@openid4vc/openid4vp', '@sphereon/oid4vci-client', 'dcql']),
    )
  })

  it.each(rows)('$what: the version is the installed one, and the test uses it', (row) => {
    expect(row.version).toBe(versions[row.library])
    expect(row.date).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(row.paths.length).toBeGreaterThan(0)
    for (const path of row.paths) {
      expect(existsSync(path), path).toBe(true)
      expect(uses(path, row.library), `${path} uses ${row.library}`).toBe(true)
    }
  })
})
