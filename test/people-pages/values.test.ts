import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { makeWorld } from '../verifier/actors.js'
import { askOnPage, newVisitor, writtenOn } from './actors.js'

const TYPE = 'Membership'

let service: TestService

beforeAll(async () => {
  service = await startService()
  await makeWorld(service)
  const { status, text } = await service.request('POST', '/schemas', {
    authorization: await service.bearer('issuer'),
    body: {
      name: TYPE,
      version: 1,
      display: [{ name: 'Membership', locale: 'en' }],
      claims: [{ path: ['level'], display: [{ name: 'Stufe', locale: 'de' }] }],
      schema: {
        type: 'object',
        properties: {
          level: {
            title: 'Level',
            oneOf: [
              { const: 'g', title: 'Gold member' },
              { const: 's', title: 'Silver member' },
            ],
          },
          rooms: { type: 'array', title: 'Rooms', items: { oneOf: [{ const: 1, title: 'Lounge' }] } },
          country: { title: 'Country', enum: ['AT', 'DE'] },
          adult: { type: 'boolean', title: 'Adult' },
          family_name: { type: 'string', title: 'Family name' },
        },
      },
    },
  })
  expect(status, text).toBe(201)
})
afterAll(() => service.close())

const CREDENTIALS = {
  'dc+sd-jwt': { meta: () => ({ vct_values: [`${service.url}/vct/${TYPE}`] }), prefix: [] },
  jwt_vc_json: { meta: () => ({ type_values: [[TYPE]] }), prefix: ['credentialSubject'] },
} as const

/** The text of a page that requests one claim with values. */
async function asked(
  path: readonly (string | null)[],
  values: readonly unknown[],
  { format = 'dc+sd-jwt', language = 'en' }: { format?: keyof typeof CREDENTIALS; language?: string } = {},
): Promise<string> {
  const { meta, prefix } = CREDENTIALS[format]
  const claims = [{ path: [...prefix, ...path], values }]
  const dcqlQuery = { credentials: [{ id: 'purchase', format, meta: meta(), claims }] }
  const { pageUrl } = await askOnPage(service, { dcqlQuery })
  return writtenOn(await newVisitor(service).open(pageUrl, { 'accept-language': language }))
}

describe('the values that a request requires of a claim (OpenID4VP 1.0 §6.3, values)', () => {
  it.each(['dc+sd-jwt', 'jwt_vc_json'] as const)('are the titles that the type gives them: %s', async (format) => {
    expect(await asked(['level'], ['g', 's'], { format })).toContain('You show Level (Gold member or Silver member)')
    expect(await asked(['level'], ['g'], { format, language: 'de' })).toContain('Sie zeigen Stufe (Gold member)')
  })

  it('of elements are their titles too', async () => {
    expect(await asked(['rooms', null], [1])).toContain('Rooms (Lounge)')
  })

  it('without titles are the values that the type lists, or yes and no', async () => {
    expect(await asked(['country'], ['AT', 'DE'])).toContain('Country (AT or DE)')
    expect(await asked(['adult'], [true])).toContain('Adult (Yes)')
    expect(await asked(['adult'], [true], { language: 'fr' })).toContain('Adult (Oui)')
  })

  it('attack: a value that the type does not list may be a claim of a person, and is not on the page', async () => {
    for (const text of [await asked(['family_name'], ['Lovelace']), await asked(['level'], ['g', 'Lovelace'])]) {
      expect(text).not.toMatch(/Lovelace|Gold/)
    }
  })
})

describe('the payment of a request (EUDI TS12)', () => {
  it.each([
    ['en', '€1,249.50 to Shop'],
    ['de', '1.249,50 € an Shop'],
    ['mt', '€1,249.50 lil Shop'],
    ['fi', '1 249,50 €, saaja: Shop'],
  ])('has its amount as readers of %s write it', async (language, sum) => {
    const page = await askOnPage(service, {
      transactionData: [
        {
          type: 'urn:eudi:sca:payment:1',
          credential_ids: ['purchase'],
          payload: { transaction_id: 't1', payee: { name: 'Shop', id: 'DE1' }, currency: 'EUR', amount: 1249.5 },
        },
      ],
    })
    const text = writtenOn(await newVisitor(service).open(page.pageUrl, { 'accept-language': language }))
    expect(text).toContain(sum)
  })
})
