import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGE_LANGUAGES } from '../../server/pages/texts/languages.js'
import { type Issuer, startIssuer } from '../issuer/openid4vci/actors.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { newVisitor, writtenOn } from './actors.js'

let issuer: Issuer
let url: string

beforeAll(async () => {
  issuer = await startIssuer()
  const body = { credentialOfferSessionId: (await issuer.makeOffer()).credentialOfferSessionId }
  const authorization = await issuer.authorization()
  url = (await issuer.service.request('POST', '/pages', { authorization, body })).json.url
})
afterAll(() => issuer.service.close())

const open = (language: string, headers: Readonly<Record<string, string>> = {}) =>
  newVisitor(issuer.service).open(url, { 'accept-language': language, ...headers })

const choose = (to: string, referer?: string) =>
  issuer.service.request('GET', `/pages/language?to=${encodeURIComponent(to)}`, {
    headers: referer === undefined ? {} : { referer },
  })

describe('a page for people', () => {
  it.each([...PAGE_LANGUAGES])('speaks %s to a reader who asks for it', async (lang, { dir, texts }) => {
    const page = await open(`${lang}-XX, en;q=0.5`)
    expect(page.text).toContain(`<html lang="${lang}" dir="${dir}">`)
    expect(writtenOn(page)).toContain(texts['wallet.open'])
    expect(writtenOn(page)).toContain(texts['receive.waiting'])
    expect(Buffer.byteLength(page.text.replaceAll(/data:image\/png;base64,[^"]+/g, ''))).toBeLessThan(60 * 1024)
  })

  it('offers every language on a page that works without script', async () => {
    const { text } = await open('en')
    for (const [lang, { name, dir }] of PAGE_LANGUAGES) {
      if (lang === 'en') continue
      const shown = dir === 'rtl' ? `<bdi>${name}</bdi>` : name
      expect(text).toContain(
        `/pages/language?to=${lang}" lang="${lang}" hreflang="${lang}" rel="nofollow">${shown}</a>`,
      )
    }
  })

  it('tells the progress in the language of the page', async () => {
    await using events = await readEvents(issuer.service, `${new URL(url).pathname}/events`, {
      'accept-language': 'it',
    })
    const { data = '' } = await events.next()
    expect(JSON.parse(data).message).toBe(PAGE_LANGUAGES.get('it')?.texts['receive.waiting'])
  })

  it('that does not exist says so in the language of the reader', async () => {
    for (const path of ['/receive/unknown', '/nowhere']) {
      const { status, text } = await issuer.service.request('GET', path, {
        headers: { accept: 'text/html', 'accept-language': 'pl' },
      })
      expect([status, text.includes(String(PAGE_LANGUAGES.get('pl')?.texts['error.nothingHere']))]).toEqual([404, true])
    }
  })
})

describe('the choice of a language', () => {
  it('is stored in a cookie, and leads back to the page', async () => {
    const answer = await choose('fi', url)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, url])
    const cookie = answer.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^language=fi; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
    const page = await open('en', { cookie: cookie.split(';')[0] ?? '' })
    expect(page.text).toContain('<html lang="fi" dir="ltr">')
  })

  it.each([
    ['of another origin', 'https://evil.example/receive/1'],
    ['that is no address', '//evil.example'],
    ['with this service as its user', 'http://127.0.0.1@evil.example/'],
    ['that does not exist', undefined],
  ])('attack: a referring page %s leads to the address of the service', async (_, referer) => {
    const answer = await choose('de', referer)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${issuer.service.url}/`])
  })

  it.each(['tlh', '', 'DE', '../de', 'de; Domain=evil.example', '__proto__'])('%j is refused: 400', async (to) => {
    const answer = await choose(to, url)
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([400, null])
  })
})
