import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { readOptions } from '../../scripts/eu-wallet/options.js'
import { makeRunWorld, SCHEMA } from '../../scripts/eu-wallet/world.js'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The version of each library of the EU that a pom.xml declares as a dependency, or makes. */
function librariesOf(pom: string): Record<string, string> {
  const properties = Object.fromEntries(
    [...pom.matchAll(/<([a-z0-9.]+\.version)>([^<]+)</g)].map(([, ...pair]) => pair),
  )
  const coordinates =
    /<groupId>eu\.europa\.ec\.eudi<\/groupId>\s*<artifactId>([^<]+)<\/artifactId>\s*<version>([^<]+)</g
  const found = [...pom.matchAll(coordinates)].map(([, name = '', version = '']) => [
    name,
    properties[version.replace(/^\$\{|\}$/g, '')] ?? version,
  ])
  return Object.fromEntries(found)
}

const used = librariesOf(read('scripts/eu-wallet/program/pom.xml'))

describe('npm run eu:wallet', () => {
  it.each([
    [['--port', '0'], '--port is a number from 1 to 65534.'],
    [['--port', '65535'], '--port is a number from 1 to 65534.'],
    [['--port', '1.5'], '--port is a number from 1 to 65534.'],
    [['--checkout', 'x'], "Unknown option '--checkout'"],
  ])('refuses %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(message)
  })

  it('compiles the versions that the program uses, if there are checkouts', () => {
    const modules = 'scripts/eu-wallet/libraries'
    const folders = readdirSync(join(root, modules), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const made = Object.assign({}, ...folders.map(({ name }) => librariesOf(read(`${modules}/${name}/pom.xml`))))
    expect(Object.keys(used)).toHaveLength(5)
    expect(made).toMatchObject(used)
  })

  it('has its versions in the documents', () => {
    const rows = read('docs/eu-libraries.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    for (const [name, version] of Object.entries(used)) {
      const row = rows.find((line) => line.startsWith(`| \`${name.replace(/-jvm$/, '')}\` |`))
      expect(row, name).toContain(`| ${version} |`)
    }
  })

  it('registers issuer and verifier for the type that it issues and asks for', async () => {
    const out = await mkdtemp(join(tmpdir(), 'credence-eu-wallet-'))
    try {
      const world = await makeRunWorld(out, 'https://localhost:9543', 'http://localhost:9544')
      const claimsIn = async (name: string) => decodeJwt(await readFile(join(world.folder, name), 'utf8'))
      const facts = JSON.parse(await readFile(world.file, 'utf8'))
      const types = [
        { format: 'dc+sd-jwt', meta: { vct_values: [facts.vct] } },
        { format: 'mso_mdoc', meta: { doctype_value: SCHEMA.mdoc.doctype } },
      ]
      expect(facts.vct).toBe('https://localhost:9543/vct/Pid')
      expect((await claimsIn('issuer-registration.jwt')).provides_attestations).toEqual(types)
      expect((await claimsIn('verifier-registration.jwt')).credentials).toMatchObject(types)
      expect(Object.keys(facts.subject)).toEqual(SCHEMA.schema.required)
    } finally {
      await rm(out, { recursive: true })
    }
  })
})
