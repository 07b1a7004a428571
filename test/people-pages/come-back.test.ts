import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createComeBack } from '../../server/people-pages/present/come-back.js'
import type { StoredReturn } from '../../server/people-pages/store.js'
import { responseCodeHash } from '../../server/verifier/sessions/result.js'

const COOKIE = 'A'.repeat(43)
const OTHER_COOKIE = 'B'.repeat(43)
const CODE = 'the-code-of-the-redirect'

const STORED: StoredReturn = {
  pageTitle: null,
  pageText: null,
  browserHash: createHash('sha256').update(COOKIE).digest('base64url'),
  responseCodeHash: responseCodeHash(CODE),
  state: 'ResponseVerified',
  errorMessage: null,
  redirectUri: 'https://shop.example/done?basket=7',
  requireResponseCode: true,
  verifier: { display: [{ name: 'The Shop' }], branding: null },
}

function comingBack(
  stored: Partial<StoredReturn> | undefined,
  { cookies = [COOKIE], code = CODE }: { cookies?: readonly string[]; code?: string | undefined } = {},
) {
  const comeBack = createComeBack({
    store: { returned: async () => (stored === undefined ? undefined : { ...STORED, ...stored }) },
    config: { verifierBaseUrl: 'https://verifier.example', serviceContact: undefined },
  })
  const cookie = cookies.map((value) => `__Host-presentation=${value}`).join('; ')
  return comeBack({ method: 'GET', headers: { cookie } }, 'page', code)
}

it('the first browser continues with the code, in addition to the parameters of the address', async () => {
  const { status, headers } = await comingBack({})
  expect([status, headers?.location]).toEqual([303, `https://shop.example/done?basket=7&response_code=${CODE}`])
  expect(headers?.['referrer-policy']).toBe('no-referrer')
})

it.each([
  ['another browser', {}, { cookies: [OTHER_COOKIE] }],
  ['a browser without the cookie', {}, { cookies: [] }],
  ['a browser with two cookies of that name', {}, { cookies: [COOKIE, OTHER_COOKIE] }],
  ['a wrong code', {}, { code: 'another' }],
  ['an empty code', {}, { code: '' }],
  ['a page that no browser has opened', { browserHash: null }, {}],
  ['a page that no browser has opened, without a cookie', { browserHash: null }, { cookies: [] }],
  ['a request without an answer, without a code', { responseCodeHash: null }, { code: '' }],
])('%s is not redirected, and does not learn the outcome', async (_, stored, sent) => {
  const { status, headers, body } = await comingBack(stored, sent)
  expect([status, headers?.location]).toEqual([403, undefined])
  expect(body).toContain('The result is shown only there.')
  expect(body).not.toContain('shop.example')
})

it('without a further address, the page shows the outcome', async () => {
  const { status, body } = await comingBack({ redirectUri: null })
  expect(status).toBe(200)
  expect(body).toContain('Done. Your answer was accepted.')
  expect(body).toContain('The Shop')
})

it('without a page, the answer says so', async () => {
  expect((await comingBack(undefined)).status).toBe(404)
})
