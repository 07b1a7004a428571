import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAPPING, NAMESPACE, SCHEMA } from '../../protocol/mdoc/actors.js'
import { startService, type TestService } from '../../support/service.js'
import { newTypeName } from '../purchase.js'

let service: TestService
let alice: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
})
afterAll(() => service.close())

const post = (body: Readonly<Record<string, unknown>>) =>
  service.request('POST', '/schemas', {
    authorization: alice,
    body: { name: newTypeName(), version: 1, schema: SCHEMA, ...body },
  })

const mappingOf = (namespaces: unknown) => ({ doctype: MAPPING.doctype, namespaces })

/** Makes a namespace with `count` elements, all with the same claim. */
const elements = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`element_${at}`, '/height']))

describe('mdoc of a schema', () => {
  it('is stored with its version, in its order, and not copied to the next version', async () => {
    const name = newTypeName()
    const created = await post({ name, mdoc: MAPPING })
    expect(created.status, created.text).toBe(201)
    expect(JSON.stringify(created.json.mdoc)).toBe(JSON.stringify(MAPPING))
    expect((await post({ name, version: 2 })).json.mdoc).toBeUndefined()
    const versions = await service.request('GET', `/schemas/${name}/versions`, { authorization: alice })
    expect(versions.json.map(({ mdoc }: { mdoc: unknown }) => mdoc)).toEqual([undefined, MAPPING])
  })

  it('may name 16 namespaces and 256 elements', async () => {
    const namespaces = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`n.${at}`, elements(16)]))
    const created = await post({ mdoc: mappingOf(namespaces) })
    expect(created.status, created.text).toBe(201)
  })

  it.each([
    ['birth', { anyOf: [{ type: 'string', format: 'date' }, { type: 'string' }] }, '/birth may be date or text'],
    ['birth', { oneOf: [{ contentEncoding: 'base64' }, { maxLength: 9 }] }, '/birth may be base64 or text'],
    ['birth', { contentEncoding: 'base32' }, '/birth has a contentEncoding'],
    [
      'birth',
      { type: 'object', patternProperties: { '^d': { anyOf: [{ format: 'date' }, true] } } },
      '/birth/* may be date or text',
    ],
  ])('an mdoc is refused if the schema leaves the type of a claim open: %s %j', async (claim, property, fault) => {
    const schema = { type: 'object', properties: { [claim]: property } }
    const answer = await post({ schema, mdoc: mappingOf({ [NAMESPACE]: { birth_date: `/${claim}` } }) })
    expect(answer.status).toBe(400)
    expect(answer.json.message[0]).toMatch(`mdoc.namespaces.${NAMESPACE}.birth_date names /${claim}, where ${fault}`)
    // If the type has no mobile documents, the schema is accepted.
    expect((await post({ schema })).status).toBe(201)
  })

  it('may point into arrays, and through references', async () => {
    const namespaces = { [NAMESPACE]: { first: '/privileges/0/code', issued: '/issued' } }
    expect((await post({ mdoc: mappingOf(namespaces) })).status).toBe(201)
  })

  it.each([
    [
      'pointers to undeclared claims, each by its name',
      { [NAMESPACE]: { family_name: '/name/family', sex: '/sex', age: '/name/age' } },
      [
        `mdoc.namespaces.${NAMESPACE}.sex names /sex, which the schema does not declare`,
        `mdoc.namespaces.${NAMESPACE}.age names /name/age, which the schema does not declare`,
      ],
    ],
    [
      'a namespace named __proto__, which JSON readers lose,',
      JSON.parse('{"__proto__":{"height":"/height"},"n":{"height":"/height"}}'),
      ['property __proto__ should not exist'],
    ],
    [
      'an element named __proto__',
      { [NAMESPACE]: JSON.parse('{"__proto__":"/height","height":"/height"}') },
      ['property __proto__ should not exist'],
    ],
    ['no namespace', {}, ['mdoc.namespaces must name a namespace']],
    ['a namespace without elements', { [NAMESPACE]: {} }, [`mdoc.namespaces.${NAMESPACE} must name an element`]],
    [
      '17 namespaces',
      Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`n${at}`, elements(1)])),
      ['mdoc.namespaces must not name more than 16 namespaces'],
    ],
    ['257 elements', { [NAMESPACE]: elements(257) }, ['mdoc.namespaces must not name more than 256 elements']],
  ])('attack: %s are refused', async (_, namespaces, message) => {
    const answer = await post({ mdoc: mappingOf(namespaces) })
    expect(answer.status, answer.text).toBe(400)
    expect([answer.json.message].flat()).toEqual(message)
  })

  it.each(['height', '', '/name~2', 7])('attack: %j is not a JSON pointer', async (pointer) => {
    const answer = await post({ mdoc: mappingOf({ [NAMESPACE]: { height: pointer } }) })
    expect(answer.status, answer.text).toBe(400)
    expect(String(answer.json.message)).toContain(`mdoc.namespaces.${NAMESPACE}.height must be`)
  })

  it('attack: combinations that multiply with each step of a pointer are read once', async () => {
    const parts = Array.from({ length: 40 }, (_, at) => `p${at}`)
    const $defs = {
      a: { allOf: parts.map((part) => ({ $ref: `#/$defs/${part}` })) },
      ...Object.fromEntries(parts.map((part) => [part, { properties: { x: { $ref: '#/$defs/a' } } }])),
    }
    const schema = { type: 'object', properties: { x: { $ref: '#/$defs/a' } }, $defs }
    const answer = await post({ schema, mdoc: mappingOf({ [NAMESPACE]: { x: '/x'.repeat(12) } }) })
    expect(answer.status, answer.text).toBe(201)
  })

  it('attack: many long pointers into a large schema are refused', async () => {
    const deep = Object.fromEntries(Array.from({ length: 256 }, (_, at) => [`e${at}`, '/x'.repeat(100)]))
    const schema = { ...SCHEMA, description: 'x'.repeat(4096), properties: { x: { $ref: '#' } } }
    const answer = await post({ schema, mdoc: mappingOf({ [NAMESPACE]: deep }) })
    expect(answer.status, answer.text).toBe(400)
    expect(String(answer.json.message)).toContain('must not name so many elements of so large a schema')
  })
})
