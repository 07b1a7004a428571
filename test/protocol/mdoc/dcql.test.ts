import { DcqlQuery } from 'dcql'
import { beforeAll, describe, expect, it } from 'vitest'
import { mdocPathFault, readMdoc, zMdocMeta } from '../../../server/protocol/mdoc/mdoc.js'
import { selectByClaimsPath } from '../../../server/protocol/openid4vp/dcql/claims-path.js'
import { Work } from '../../../server/protocol/work.js'
import { DOCTYPE, issue, MORE, makeAuthority, makeHolder, makeIssuer, NAMESPACE } from './actors.js'
import { mdocDcqlCredential } from './dcql-library.js'

let content: ReturnType<typeof readMdoc>
beforeAll(async () => {
  content = readMdoc(await issue(await makeIssuer(makeAuthority()), await makeHolder()))
})

describe('A claims path into a mobile document (OpenID4VP 1.0 §7.2)', () => {
  it.each([
    [[NAMESPACE, 'family_name'], undefined],
    [[NAMESPACE], 0],
    [[NAMESPACE, 'family_name', 'first'], 2],
    [[NAMESPACE, 0], 1],
    [[null, 'family_name'], 0],
  ])('%j is wrong at %s', (path, position) => {
    expect(mdocPathFault(path)?.position).toBe(position)
  })

  it('selects an element as JSON (§6.3; RFC 8949 §6.1)', () => {
    const selected = (identifier: string) =>
      selectByClaimsPath([NAMESPACE, identifier], content.claims, new Work(1_000))
    expect(selected('birth_date')).toEqual(['1990-12-24'])
    expect(selected('portrait')).toEqual(['AAH-_w'])
    expect(selected('height')).toEqual([171.5])
    expect(selected('organ_donor')).toEqual([])
  })
})

type Claim = { path: [string, string]; values?: (string | boolean)[] }

describe('A query for a mobile document, in the DCQL library', () => {
  const matches = (doctype_value: string, claims: Claim[]) => {
    const meta = zMdocMeta.parse({ doctype_value })
    const query = DcqlQuery.parse({ credentials: [{ id: 'mdl', format: 'mso_mdoc', meta, claims }] })
    DcqlQuery.validate(query)
    return DcqlQuery.query(query, [mdocDcqlCredential(content)]).can_be_satisfied
  }

  it('finds doctype, element and value', () => {
    expect(matches(DOCTYPE, [{ path: [NAMESPACE, 'birth_date'], values: ['1990-12-24'] }])).toBe(true)
    expect(matches(DOCTYPE, [{ path: [MORE, 'organ_donor'], values: [true] }])).toBe(true)
  })

  it.each<[string, string, Claim]>([
    ['another doctype', 'org.iso.23220.photoid.1', { path: [NAMESPACE, 'birth_date'] }],
    ['an element of another namespace', DOCTYPE, { path: [NAMESPACE, 'organ_donor'] }],
    ['another value', DOCTYPE, { path: [NAMESPACE, 'birth_date'], values: ['1990-12-25'] }],
    ['a value of another type', DOCTYPE, { path: [MORE, 'organ_donor'], values: ['true'] }],
  ])('does not find %s', (_, doctype, claim) => {
    expect(matches(doctype, [claim])).toBe(false)
  })
})
