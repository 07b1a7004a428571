import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, startIssuer } from '../issuer/openid4vci/actors.js'
import { startService, type TestService } from '../support/service.js'
import { makeWorld } from '../verifier/actors.js'
import { askOnPage, newVisitor, writtenOn } from './actors.js'

/** The sentences on a page about what is stored, in a language. */
async function sentences(service: TestService, url: string, language = 'en'): Promise<string[]> {
  const { text } = await newVisitor(service).open(url, { 'accept-language': language })
  const [, list = ''] = /<section class="kept">.*?<ul>(.*?)<\/ul>/s.exec(text) ?? []
  return [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, each = '']) => writtenOn({ text: each }))
}

describe('the page of a request says what is stored of the answer, and for how long', () => {
  let usual: TestService
  let short: TestService

  beforeAll(async () => {
    usual = await startService()
    short = await startService({ env: { SESSION_RESULT_TTL_SECONDS: '90', SESSION_RETENTION_DAYS: '1' } })
    await Promise.all([makeWorld(usual), makeWorld(short)])
  })
  afterAll(() => Promise.all([usual.close(), short.close()]))

  const hostOf = ({ url }: TestService) => new URL(url).host

  const keptWith = async (service: TestService, members: Record<string, unknown> = {}, language?: string) =>
    sentences(service, (await askOnPage(service, members)).pageUrl, language)

  const COPIES = (service: TestService) => `${hostOf(service)} decides how long it stores its own copies of the answer.`

  it('the claims for SESSION_RESULT_TTL_SECONDS, and the request for SESSION_RETENTION_DAYS', async () => {
    expect(await keptWith(usual)).toEqual([
      `This service stores an accepted answer for 1 hour. In that time, ${hostOf(usual)} can read it.`,
      COPIES(usual),
      'After the request has ended, this service stores it for 30 days, without your answer.',
    ])
    expect(await keptWith(short)).toEqual([
      `This service stores an accepted answer for 90 seconds. In that time, ${hostOf(short)} can read it.`,
      COPIES(short),
      'After the request has ended, this service stores it for 1 day, without your answer.',
    ])
  })

  it('evidence as long as the request asks, otherwise as long as the claims', async () => {
    const proof = (time: string) =>
      `This service stores proof of your answer for ${time}, even if the answer is not accepted. The proof contains everything that you show.`
    expect(await keptWith(usual, { keepEvidence: true, evidenceRetention: { days: 365 } })).toContain(proof('365 days'))
    expect(await keptWith(usual, { keepEvidence: true })).toContain(proof('1 hour'))
    expect(await keptWith(short, { keepEvidence: true })).toContain(proof('90 seconds'))
    expect((await keptWith(usual, { keepEvidence: false })).join(' ')).not.toContain('proof')
  })

  it('nothing of the answer after its claims were erased before the wallet answers', async () => {
    const page = await askOnPage(usual, { keepEvidence: true, evidenceRetention: { days: 365 } })
    await usual.request('POST', `/verification-sessions/${page.verificationSessionId}/erase`, {
      authorization: await usual.bearer('verifier'),
      body: {},
    })
    expect(await sentences(usual, page.pageUrl)).toEqual([
      'This service does not store your answer.',
      'After the request has ended, this service stores it for 30 days, without your answer.',
    ])
  })

  it.each([
    ['de', 1, '1 Tag lang'],
    ['pl', 1, 'przez 1 dzień'],
    ['pl', 2, 'przez 2 dni'],
    ['lt', 21, '21 dieną'],
    ['ar', 2, 'لمدة يومين'],
    ['ga', 7, 'ar feadh 7 lá'],
    ['mt', 11, 'għal 11-il jum'],
    ['ro', 30, 'timp de 30 de zile'],
    ['fi', 1_000, '1 000 päivän ajan'],
  ])('in %s, %d days are the plural form of the language', async (language, days, time) => {
    const kept = await keptWith(usual, { keepEvidence: true, evidenceRetention: { days } }, language)
    expect(kept[2]).toContain(time)
  })
})

describe('the page of an offer says how long the claims are stored', () => {
  let usual: Issuer
  let limited: Issuer

  beforeAll(async () => {
    usual = await startIssuer()
    limited = await startIssuer({ env: { RETENTION_CLAIMS_DAYS: '90' } })
  })
  afterAll(() => Promise.all([usual.service.close(), limited.service.close()]))

  /** The sentences on the page of an offer. @param members of the type; undefined for a type without a retention of its own */
  async function keptBy(issuer: Issuer, members?: Record<string, unknown>): Promise<string[]> {
    const authorization = await issuer.authorization()
    const body = {
      name: `Type${randomUUID().replaceAll('-', '')}`,
      version: 1,
      schema: { type: 'object', properties: { product: { type: 'string' } } },
      ...members,
    }
    const type = await issuer.service.request('POST', '/schemas', { authorization, body })
    expect(type.status, type.text).toBe(201)
    const offer = await issuer.makeOffer({
      credentialConfigurationIds: [body.name],
      credentialSubject: { product: 'Kettle' },
    })
    const page = await issuer.service.request('POST', '/pages', {
      authorization,
      body: { credentialOfferSessionId: offer.credentialOfferSessionId },
    })
    return sentences(issuer.service, page.json.url)
  }

  const ALWAYS = 'This service stores the claims of the credential without a time limit.'
  const forDays = (days: number) =>
    `After your wallet has taken the credential, this service stores its claims for ${days} days.`

  it('without a time limit unless a retention is set', async () => {
    expect(await keptBy(usual)).toEqual([ALWAYS])
    expect(await keptBy(limited)).toEqual([forDays(90)])
  })

  it('by the retention of the type before RETENTION_CLAIMS_DAYS', async () => {
    expect(await keptBy(limited, { retention: { claims: { days: 7 } } })).toEqual([forDays(7)])
    expect(await keptBy(limited, { retention: { claims: 'never' } })).toEqual([ALWAYS])
    expect(await keptBy(limited, { retention: { claims: 'untilIssued' } })).toEqual([
      'Soon after your wallet has taken the credential, this service deletes its claims.',
    ])
  })

  it('at most as long as the record', async () => {
    const retention = { claims: 'never', record: { days: 400 } }
    expect(await keptBy(usual, { retention, expiresInDays: 365 })).toEqual([forDays(400)])
  })

  it('and the page of an offering, whose claims belong to nobody, says nothing', async () => {
    const { id } = await usual.makeOffering()
    const page = await usual.service.request('POST', '/pages', {
      authorization: await usual.authorization(),
      body: { offeringId: id },
    })
    expect(await sentences(usual.service, page.json.url)).toEqual([])
  })
})
