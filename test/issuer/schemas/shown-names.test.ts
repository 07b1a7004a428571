import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'

const SCHEMA = { type: 'object', properties: { level: { type: 'string', enum: ['gold', 'silver'] } } }

let service: TestService
let authorization: string
beforeAll(async () => {
  service = await startService()
  authorization = await service.bearer('alice')
})
afterAll(() => service.close())

const post = (name: string, members: Record<string, unknown>) =>
  service.request('POST', '/schemas', { authorization, body: { name, version: 1, schema: SCHEMA, ...members } })

const get = (path: string) => service.request('GET', path, { authorization })

describe('the displayed name of a type', () => {
  it.each([
    ['title', { title: 'Card\u202edrac' }, 'title', 'U+202E'],
    ['title of several', { title: '\u2066Card\u2069' }, 'title', 'U+2066'],
    ['first name', { display: [{ name: '\u202aCard' }] }, 'display.0.name', 'U+202A'],
    [
      'a name in a further language',
      { display: [{ name: 'Card' }, { name: 'Kar\u2068te', locale: 'de' }] },
      'display.1.name',
      'U+2068',
    ],
    ['a name with only the end of an override', { display: [{ name: 'Card\u202c' }] }, 'display.0.name', 'U+202C'],
  ])('%s: no character controls its direction (UAX #9 §2.1 to §2.5)', async (_, members, field, character) => {
    const { status, json } = await post('Refused', members)
    expect([status, [json.message].flat()]).toEqual([
      400,
      [`${field} must not contain ${character}, which controls the direction of text`],
    ])
    expect(await query(service.databaseUrl, `SELECT 1 FROM schemas WHERE name = 'Refused'`)).toEqual([])
  })

  it('may have the marks that Hebrew and Arabic names need (§2.6), and every script', async () => {
    for (const [at, name] of ['כרטיס (1)\u200f', 'بطاقة\u061c 7', '\u200eCard', 'カード'].entries()) {
      const { status, text, json } = await post(`Script${at}`, { title: name, display: [{ name }] })
      expect(status, text).toBe(201)
      expect([json.title, json.display[0].name]).toEqual([name, name])
    }
  })

  it('has this rule; descriptions, titles of claims and allowed values of a schema do not', async () => {
    const members = {
      schema: {
        type: 'object',
        properties: {
          level: { enum: ['go\u202eld', 'silver'], title: 'Le\u202evel', description: 'De\u2067pth' },
          kind: { const: 'ki\u202end' },
        },
      },
      description: 'About\u202e',
      display: [{ name: 'Card', description: 'About\u2066' }],
      claims: [{ path: ['level'], display: [{ name: 'Stu\u202efe', locale: 'de' }] }],
    }
    const { status, json, text } = await post('Described', members)
    expect(status, text).toBe(201)
    expect(json).toMatchObject({ schemaBody: members.schema, claims: members.claims, display: members.display })
    const body = {
      credential_type: 'Described',
      credential_subject: { level: 'go\u202eld', kind: 'ki\u202end' },
    }
    const made = await service.request('POST', '/api/v1/offerings', { client: true, body })
    expect(made.status, made.text).toBe(201)
  })

  it('of a version from before this rule is still read and published, and a further version can replace it', async () => {
    const { json: first } = await post('Older', { title: 'Card', display: [{ name: 'Card' }] })
    const marked = 'Card\u202edrac'
    await query(
      service.databaseUrl,
      `UPDATE schemas SET title = '${marked}', display = '[{"name":"${marked}"}]' WHERE name = 'Older'`,
    )
    const read = await get(`/schemas/${first.id}`)
    expect([read.status, read.json.title, read.json.display]).toEqual([200, marked, [{ name: marked }]])
    for (const path of ['/schemas/Older/versions', '/vct/Older', '/.well-known/openid-credential-issuer'])
      expect((await get(path)).status, path).toBe(200)
    const again = await post('Older', { version: 2, title: marked })
    expect([again.status, String(again.json.message)]).toEqual([400, expect.stringContaining('title must not contain')])
    const { status, json } = await post('Older', { version: 2, title: 'Card', display: [{ name: 'Card' }] })
    expect([status, json.active, json.title]).toEqual([201, true, 'Card'])
  })
})
