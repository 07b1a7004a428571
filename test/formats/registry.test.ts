import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFormats, FORMATS, standardFormats } from '../../server/formats/registry.js'
import { toy } from './toy/format.js'

const [dcSdJwt, jwtVcJson, msoMdoc] = FORMATS

describe('a registry of credential formats', () => {
  it('finds formats by name, by a former name, by the suffix of configurations and by the form of a credential', () => {
    const { named, known, withSuffix, recognise } = createFormats([...FORMATS, toy])
    expect(named('toy')).toBe(toy)
    expect([known('vc+sd-jwt'), known('draft-toy'), known('dc+sd-jwt')]).toEqual([dcSdJwt, toy, dcSdJwt])
    expect([known('mso_mdoc'), known(undefined), known('constructor')]).toEqual([msoMdoc, undefined, undefined])
    expect([withSuffix(''), withSuffix('-sd-jwt'), withSuffix('-x')]).toEqual([jwtVcJson, dcSdJwt, undefined])
    expect([recognise('a.b.c~'), recognise('a.b.c'), recognise('toy.a.b.c')]).toEqual([dcSdJwt, jwtVcJson, toy])
    expect(recognise('omppc3N1ZXJBdXRo')).toBe(msoMdoc)
  })

  it.each(['a.b', 'a..c', 'a.b.c.d', ''])('does not treat %j as a credential', (compact) => {
    expect(standardFormats.recognise(compact)).toBeUndefined()
  })

  it('offers the primary format first, and lists all formats in their given order', () => {
    const { all, issued, primary } = createFormats([toy, ...FORMATS])
    expect(all.map(({ name }) => name)).toEqual(['toy', 'dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc'])
    expect(issued.map(({ name }) => name)).toEqual(['jwt_vc_json', 'toy', 'dc+sd-jwt', 'mso_mdoc'])
    expect(primary).toBe(jwtVcJson)
  })

  it('refuses two formats with one name or suffix, and a registry without a primary format', () => {
    const shared = 'Two credential formats share a name or a configuration suffix.'
    expect(() => createFormats([...FORMATS, { ...toy, name: 'dc+sd-jwt' }])).toThrow(shared)
    const suffixed = { ...toy, issuing: { ...toy.issuing, configurationSuffix: '-sd-jwt' } }
    expect(() => createFormats([...FORMATS, suffixed])).toThrow(shared)
    expect(() => createFormats([toy])).toThrow('No credential format is issued where nobody names one.')
    expect(() => standardFormats.named('toy')).toThrow('There is no credential format toy.')
  })
})

/**
 * Files in which the name of a format may occur: the folder of the format, the sources from which it is made, and two
 * examples in contracts.
 */
const HOMES = [
  // This file finds the version of other issuers' metadata. Some versions differ only in the name of a format.
  'wallet/openid4vci/used-members.ts',
  'formats/',
  'protocol/sd-jwt-vc/',
  'protocol/jwt-vc/',
  'generated/',
  'protocol/mdoc/',
  'issuer/metadata/metadata.contract.ts',
  'issuer/schemas/schemas.contract.ts',
  'issuer/openid4vci/offers.contract.ts',
]
const NAME = /[dv]c\+sd-jwt|\bjwt_vc|(?<!\/dc)-sd-jwt\b|\bmso_mdoc|-mdoc\b/
const COMMENT = /\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs

function sources(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? sources(path) : path.endsWith('.ts') ? [path] : []
  })
}

it('is the only code that knows names of formats: no other code compares such a name', () => {
  const others = sources('server').filter((path) => !HOMES.some((home) => path.startsWith(`server/${home}`)))
  expect(others.length).toBeGreaterThan(100)
  expect(others.filter((path) => NAME.test(readFileSync(path, 'utf8').replace(COMMENT, '')))).toEqual([])
})

it('loads the code for mobile documents when the first document arrives: no module imports it at start', () => {
  const importersOf = (imported: string, home: string) =>
    sources('server').filter(
      (path) =>
        !path.startsWith(home) &&
        new RegExp(`^(?:import|export) (?!type\\b)[^'(]*'[^']*${imported}\\.js'`, 'm').test(readFileSync(path, 'utf8')),
    )
  // Readers of trusted lists use this code too. They are loaded when the first list is read.
  expect(importersOf('/mdoc/(?:mdoc|issue|elements|values)', 'server/protocol/trust-lists/')).toEqual([])
  expect(importersOf('/trust-lists/(?:registry|vical/[a-z-]+)', 'server/protocol/trust-lists/')).toEqual([])
})
