import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { type Issuer, startIssuer } from './actors.js'
import { newBrowser, openPage, responseOf } from './browser.js'
import { newRequest, redeem } from './sign-in-actors.js'

/** A schema with a property of every kind that the form supports. */
const PROPERTIES = {
  name: { type: 'string', title: 'Full <b>name</b>', minLength: 2 },
  about: { type: 'string', maxLength: 1000 },
  birthDate: { type: 'string', format: 'date' },
  height: { type: 'number' },
  children: { type: ['integer', 'null'] },
  member: { type: 'boolean' },
  level: { enum: ['gold', 'silver', 3] },
  address: {
    type: 'object',
    title: 'Address',
    properties: { 'street/no': { type: 'string' }, country: { type: 'string', title: 'Country' } },
    required: ['country'],
    additionalProperties: false,
  },
  nicknames: { type: 'array', items: { type: 'string' } },
  other: { type: 'array', items: { type: 'object' } },
}
const SCHEMA = { type: 'object', properties: PROPERTIES, required: ['name', 'member'], additionalProperties: false }
const FILLED = {
  '/name': 'Alice',
  '/about': 'Two\r\nlines',
  '/birthDate': '1990-02-03',
  '/height': '1.7',
  '/children': '2',
  '/member': 'false',
  '/level': '3',
  '/address/street~1no': 'Main Street 1',
  '/address/country': 'NL',
  '/nicknames': 'Al\r\n\r\nLice ',
  '/other': '[{"a":1}]',
}
const CLAIMS = {
  name: 'Alice',
  about: 'Two\nlines',
  birthDate: '1990-02-03',
  height: 1.7,
  children: 2,
  member: false,
  level: 3,
  address: { 'street/no': 'Main Street 1', country: 'NL' },
  nicknames: ['Al', 'Lice'],
  other: [{ a: 1 }],
}

let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer({ env: { AUTH_DISABLED: 'true' } })
  const body = { name: 'Member', version: 1, schema: SCHEMA }
  expect((await issuer.service.request('POST', '/schemas', { body })).status).toBe(201)
})
afterAll(() => issuer.service.close())

async function open() {
  const { address, verifier } = newRequest({ scope: 'Member' })
  const browser = newBrowser(issuer.service)
  const { id, page } = await openPage(browser, address)
  const send = (fields: Record<string, string>, decision = 'accept'): Promise<Answer> =>
    browser.decide(page, id, decision, fields)
  return { id, page, verifier, send, browser }
}

const offeredFor = async (id: string) => {
  const text =
    'SELECT a.state, o.credential_subject FROM authorizations a LEFT JOIN offerings o ON o.id = a.offering_id WHERE a.id = $1'
  const [row] = await query(issuer.service.databaseUrl, text, [id])
  return row
}

describe('the form in which the local admin (AUTH_DISABLED) enters the claims of a credential', () => {
  it('has a field for every property that the schema declares, with its title', async () => {
    const { page } = await open()
    expect(page.status).toBe(200)
    expect(page.text).toContain('Login is switched off')
    for (const name of Object.keys(FILLED)) expect(page.text).toContain(`name="${name}"`)
    expect(page.text).toContain('Full &lt;b&gt;name&lt;/b&gt;')
    expect(page.text).toContain('<legend><span lang="en">Address</span></legend>')
    // The country is required only if there is an address, and the address is optional.
    expect([...page.text.matchAll(/name="([^"]+)" autocomplete="off" required/g)].map(([, name]) => name)).toEqual([
      '/name',
      '/member',
    ])
  })

  it('makes a credential from the entered claims, with the types of the schema', async () => {
    const { id, send, verifier } = await open()
    const { code = '' } = responseOf(await send(FILLED))
    expect(await offeredFor(id)).toEqual({ state: 'Granted', credential_subject: CLAIMS })
    const token = await redeem(issuer, code, verifier)
    expect((await issuer.take(token.json.access_token, 'Member')).status).toBe(200)
  })

  it('has a field for a claim that the schema declares by a combination, and reads it with its type', async () => {
    const schema = {
      type: 'object',
      $ref: '#/definitions/named',
      allOf: [{ properties: { born: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] } } }],
      anyOf: [
        { properties: { age: { type: 'integer' } } },
        { properties: { level: { oneOf: [{ const: 1 }, { const: 2 }] } } },
      ],
      properties: { home: { $ref: '#/definitions/address' } },
      definitions: {
        named: { properties: { name: { type: 'string' } }, required: ['name'] },
        address: {
          type: 'object',
          properties: { city: { type: 'string' }, within: { $ref: '#/definitions/address' } },
        },
      },
    }
    const posted = await issuer.service.request('POST', '/schemas', { body: { name: 'Combined', version: 1, schema } })
    expect(posted.status, posted.text).toBe(201)
    const { address } = newRequest({ scope: 'Combined' })
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, address)
    expect(page.text).toMatch(/type="date"[^>]*name="\/born"|name="\/born"[^>]*type="date"/)
    const filled = { '/name': 'Ada', '/born': '1990-02-03', '/age': '36', '/level': '2', '/home/city': 'Turin' }
    responseOf(await browser.decide(page, id, 'accept', filled))
    expect(await offeredFor(id)).toMatchObject({
      credential_subject: { name: 'Ada', born: '1990-02-03', age: 36, level: 2, home: { city: 'Turin' } },
    })
  })

  it('reads lines, choices and texts by all rules of the schema together', async () => {
    const optional = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })
    const schema = {
      allOf: [{ $ref: '#/definitions/contact' }],
      properties: {
        colour: optional({ $ref: '#/definitions/colour' }),
        scores: optional({ type: 'array', items: { type: 'integer' } }),
        since: optional({ type: 'string', format: 'date-time' }),
        visits: { type: 'array', items: { type: 'object' } },
      },
      definitions: {
        contact: { properties: { mail: { type: 'string', format: 'email' }, site: { type: 'string', format: 'uri' } } },
        colour: { enum: ['red', 3] },
      },
    }
    const posted = await issuer.service.request('POST', '/schemas', { body: { name: 'Contact', version: 1, schema } })
    expect(posted.status, posted.text).toBe(201)
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(browser, newRequest({ scope: 'Contact' }).address)
    expect(page.text).toMatch(/<input type="email"[^>]*name="\/mail"/)
    expect(page.text).toMatch(/<input type="url"[^>]*name="\/site"/)
    expect(page.text).toMatch(/<select[^>]*name="\/colour"/)
    const filled = {
      '/mail': 'ada@example.org',
      '/colour': '3',
      '/scores': '1\r\n\r\n2',
      '/since': '2026-01-02T03:04:05Z',
      '/visits': '[{"city":"Pisa"}]',
    }
    responseOf(await browser.decide(page, id, 'accept', filled))
    expect(await offeredFor(id)).toMatchObject({
      credential_subject: {
        mail: 'ada@example.org',
        colour: 3,
        scores: [1, 2],
        since: '2026-01-02T03:04:05Z',
        visits: [{ city: 'Pisa' }],
      },
    })
  })

  it('leaves out empty fields', async () => {
    const { id, send } = await open()
    responseOf(await send({ '/name': 'Alice', '/member': 'true', '/height': '', '/address/country': '', '/other': '' }))
    expect(await offeredFor(id)).toMatchObject({ credential_subject: { name: 'Alice', member: true } })
  })

  it('shows the error beside each field, keeps the entered values, and can be sent again', async () => {
    const { id, send, browser } = await open()
    const wrong = {
      ...FILLED,
      '/name': 'A"',
      '/member': '',
      '/height': 'tall',
      '/address/country': '',
      '/level': '"tin"',
      '/other': '{',
    }
    const again = await send({ ...wrong, '/name': 'A' })
    expect(again.status).toBe(400)
    const beside = [...again.text.matchAll(/id="(claim-\d+)-problem">([^<]+)</g)].map(([, field, text]) => [
      field,
      text,
    ])
    const names = new Map(
      [...again.text.matchAll(/id="(claim-\d+)" name="([^"]+)"/g)].map(([, field, name]) => [field, name]),
    )
    expect(Object.fromEntries(beside.map(([field, text]) => [names.get(field), text]))).toEqual({
      '/name': expect.stringContaining('must'),
      '/height': 'must be number',
      '/member': 'must be present',
      '/level': expect.stringContaining('must be'),
      '/address/country': 'must be present',
      '/other': 'must be array',
    })
    expect(again.text.match(/aria-invalid="true"/g)).toHaveLength(6)
    expect(again.text).toContain('value="1990-02-03"')
    expect(again.text).toContain('<option value="3"')
    expect(await offeredFor(id)).toEqual({ state: 'SignedIn', credential_subject: null })
    expect(responseOf(await browser.decide(again, id, 'accept', FILLED))).toHaveProperty('code')
  })

  it('accepts no property that the schema does not declare, under any name', async () => {
    const { id, send } = await open()
    const more = { '/admin': 'true', name: 'Mallory', '/__proto__/x': '1', __proto__: '1', 'claims.name': 'Mallory' }
    responseOf(await send({ '/name': 'Alice', '/member': 'true', ...more }))
    expect(await offeredFor(id)).toMatchObject({ credential_subject: { name: 'Alice', member: true } })
  })

  it.each([
    ['/about', 'a\0b', 'must not contain a NUL character'],
    ['/other', '[{"a":"\\u0000"}]', '0.a must not contain a NUL character'],
    ['/other', '[{"a\\u0000":1}]', '0 must not contain a NUL character'],
    ['/other', '[{"a":"\\ud800"}]', '0.a must be well-formed Unicode'],
    ['/other', '[{"\\ud800":1}]', '0 must be well-formed Unicode'],
  ])('accepts no text that cannot be stored: %s %j', async (name, text, problem) => {
    const { id, send, browser } = await open()
    const again = await send({ ...FILLED, [name]: text })
    expect([again.status, /id="claim-\d+-problem">([^<]+)</.exec(again.text)?.[1]]).toEqual([400, problem])
    expect(await offeredFor(id)).toEqual({ state: 'SignedIn', credential_subject: null })
    expect(responseOf(await browser.decide(again, id, 'accept', FILLED))).toHaveProperty('code')
  })

  it('can be declined with any content', async () => {
    const { id, send } = await open()
    expect(responseOf(await send({ '/height': 'tall' }, 'decline')).error).toBe('access_denied')
    expect((await offeredFor(id))?.state).toBe('Denied')
  })

  it('does not exist if sign-in is on', async () => {
    const other = await startIssuer()
    try {
      const { page } = await openPage(newBrowser(other.service), newRequest().address)
      expect(responseOf(page).error).toBe('access_denied')
    } finally {
      await other.service.close()
    }
  })
})
