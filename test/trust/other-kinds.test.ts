import { encode, Tag } from 'cbor-x'
import { Sign1 } from 'cose-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { DOCTYPE, makeHolder, makeIssuer } from '../protocol/mdoc/actors.js'
import { EAA, providerXml, serviceXml, tslXml, WITHDRAWN } from '../protocol/trust-lists/tsl-world.js'
import { signXml, type XadesOptions } from '../protocol/trust-lists/xadesjs.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { makeLeaf, makeRoot, membership, YEARS } from '../verifier/certified.js'
import { licence } from '../verifier/mdoc.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, keyRefusalOf, listsFile, listsOf, makeOperator, refreshed, seconds } from './lists.js'

const PERSONS = 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC'
const WALLETS = 'http://uri.etsi.org/Svc/Svctype/Provider/Wallet'

const operator = makeOperator()
const authority = makeRoot('Authority')

let lists: ListServer
let wallet: WalletActor

beforeAll(async () => {
  lists = await startListServer()
  wallet = await newWallet()
})
afterAll(() => lists.close())

const kindOf = (kind: string, path: string, more: Readonly<Record<string, unknown>> = {}) =>
  definition(`${lists.url}${path}`, operator, { kind, profile: undefined, ...more })

const environment = async (list: unknown) => ({
  TRUST_LISTS: await listsFile(list),
  TRUSTED_ISSUERS: 'self,x5c',
  OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
})

interface Xml {
  readonly service?: Parameters<typeof serviceXml>[0]
  readonly sequence?: string
  readonly issued?: string
  readonly nextUpdate?: string
}

const xmlOf = ({ service, sequence = '1', issued = seconds(-60), nextUpdate = seconds(86_400) }: Xml = {}) =>
  tslXml(providerXml('Ministry', serviceXml({ certificates: [authority], ...service })), {
    sequence,
    issued,
    nextUpdate: `<dateTime>${nextUpdate}</dateTime>`,
  })

const signed = (xml: string, how: XadesOptions = {}): Promise<Buffer> =>
  signXml(xml, { uri: '', by: operator, signingTime: new Date(Date.now() - 60_000), ...how })

const credentialOf = (root: TestCertificate) => membership(makeLeaf(root), wallet)

describe('a trusted list in XML (ETSI TS 119 612), signed by xadesjs', () => {
  let service: TestService
  const path = '/tsl.xml'

  beforeAll(async () => {
    service = await startService({ env: await environment(kindOf('tsl', path)), maintenance: false })
  })
  afterAll(() => service.close())

  it('vouches for the issuers of its providers, and for nobody else', async () => {
    lists.publish(path, { body: await signed(xmlOf()) })
    expect(await refreshed(service), JSON.stringify(await listsOf(service).all())).toBe('changed')
    expect(await keyRefusalOf(service, await credentialOf(authority))).toBeUndefined()
    expect(await keyRefusalOf(service, await credentialOf(makeRoot('Stranger')))).toContain(
      `Issuer is not on the list ${lists.url}${path}.`,
    )
    const [list] = await listsOf(service).all()
    expect(list).toMatchObject({ kind: 'tsl', state: 'usable', operator: { en: 'Operator & Sons' }, entities: 1 })
    const [entity] = (await listsOf(service).entities(list.id)).json.items
    expect(entity).toMatchObject({ names: { en: 'Ministry' }, services: [{ type: EAA, isTrusted: true }] })
    expect(lists.requests.at(-1)?.headers.accept).toContain('application/vnd.etsi.tsl+xml')
  })

  const evil = providerXml('Evil', serviceXml({ certificates: [makeRoot('Evil')] }))
  const next = { sequence: '2' }
  const signatureIn = (xml: string) => /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(xml)?.[0] ?? ''
  const changed = async (change: (xml: string) => string, how: XadesOptions = {}): Promise<string> => {
    const before = String(await signed(xmlOf(next), how))
    const after = change(before)
    expect(after).not.toBe(before)
    return after
  }
  const transform = (algorithm: string, content: string) => (xml: string) =>
    xml.replace(
      '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>',
      `<ds:Transform Algorithm="${algorithm}">${content}</ds:Transform>`,
    )
  const wrapped = (xml: string) => {
    const original = xml.replace(signatureIn(xml), '').replace(/<\?xml.*\?>/, '')
    const signature = signatureIn(xml).replace('</ds:Signature>', `<ds:Object>${original}</ds:Object>$&`)
    return tslXml(evil, next).replace('Id="list"', 'Id="other"').replace('</TrustServiceStatusList>', `${signature}$&`)
  }

  it.each<[string, string, () => Promise<string | Uint8Array>]>([
    [
      'doctype',
      'entities that expand (billion laughs)',
      () =>
        changed((xml) =>
          xml.replace('<TrustServiceStatusList', '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>$&'),
        ),
    ],
    [
      'doctype',
      'an external entity that names a file',
      () =>
        changed((xml) =>
          xml.replace('<TrustServiceStatusList', '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>$&'),
        ),
    ],
    ['transform', 'an XSLT transform', () => changed(transform('http://www.w3.org/TR/1999/REC-xslt-19991116', '<x/>'))],
    [
      'transform',
      'an XPath transform',
      () => changed(transform('http://www.w3.org/TR/1999/REC-xpath-19991116', '<ds:XPath>/</ds:XPath>')),
    ],
    ['reference', 'the signed list wrapped in another list', () => changed(wrapped, { uri: '#list' })],
    [
      'several-signatures',
      'a second signature',
      () => changed((xml) => xml.replace('</TrustServiceStatusList>', `${signatureIn(xml)}$&`)),
    ],
    [
      'external-reference',
      'a reference to another document',
      () => changed((xml) => xml.replace('URI=""', 'URI="https://evil.example/list.xml"')),
    ],
    [
      'signature',
      'a provider that was added later',
      () => changed((xml) => xml.replace('</TrustServiceProviderList>', `${evil}$&`)),
    ],
    ['unsigned', 'no signature', async () => xmlOf(next)],
    ['signer', 'the signature of somebody else', () => signed(xmlOf(next), { by: makeOperator() })],
    ['signed-properties', 'signed properties that do not name the signer', () => signed(xmlOf(next), { named: null })],
    [
      'out-of-date',
      'an end in the past',
      () => signed(xmlOf({ ...next, issued: seconds(-900), nextUpdate: seconds(-60) })),
    ],
    ['sequence-went-back', 'an older number', () => signed(xmlOf({ sequence: '0' }))],
    ['malformed', 'no XML', async () => 'no list'],
  ])('is refused by %s: it has %s, and the list before stays in use', async (check, _name, body) => {
    lists.publish(path, { body: await body() })
    expect(await refreshed(service)).toBe(check)
    const [list] = await listsOf(service).all()
    expect(list).toMatchObject({ state: 'failing', check, sequenceNumber: 1, entities: 1 })
    expect((await service.request('GET', '/health/readiness')).json.details.trustLists.reason).toBe(check)
    expect(await keyRefusalOf(service, await credentialOf(authority))).toBeUndefined()
  })

  it('of other services vouches for no issuer, unless the operator names their type', async () => {
    const persons = { body: await signed(xmlOf({ service: { type: PERSONS } })) }
    lists.publish('/persons.xml', persons)
    lists.publish('/persons.xml?named', persons)
    lists.publish('/wallets.xml', { body: await signed(xmlOf({ service: { type: WALLETS } })) })
    const env = await environment(kindOf('tsl', '/persons.xml'))
    await using other = await startService({ env, maintenance: false })
    expect(await refreshed(other)).toBe('changed')
    const api = listsOf(other)
    const refusal = async () => keyRefusalOf(other, await credentialOf(authority))
    expect(await refusal()).toContain('is for another use')
    const wallets = (await api.add(kindOf('tsl', '/wallets.xml'))).json
    expect(wallets.state).toBe('usable')
    expect(await refusal()).toContain('is for another use')
    await api.remove(wallets.id)
    const named = await api.add(kindOf('tsl', '/persons.xml?named', { serviceTypes: [PERSONS] }))
    expect([named.status, named.json.serviceTypes, named.json.state]).toEqual([201, [PERSONS], 'usable'])
    expect(await refusal()).toBeUndefined()
  })
})

it('a service that a list withdraws is trusted until this time, and not longer', async () => {
  const end = Math.floor(Date.now() / 1000) * 1000 + 3_600_000
  const service1 = { status: WITHDRAWN, since: seconds(0, end) }
  lists.publish('/withdrawn.xml', { body: await signed(xmlOf({ service: service1 })) })
  let now = new Date()
  await using service = await startService({
    env: await environment(kindOf('tsl', '/withdrawn.xml')),
    maintenance: false,
    clock: () => now,
  })
  expect(await refreshed(service)).toBe('changed')
  const credential = await credentialOf(authority)
  now = new Date(end - 1_000)
  expect(await keyRefusalOf(service, credential)).toBeUndefined()
  now = new Date(end)
  expect(await keyRefusalOf(service, credential)).toContain('is withdrawn')
})

describe('a VICAL (ISO/IEC 18013-5 Annex C), signed by cose-kit', () => {
  const root = makeRoot('C=DE/Authority of licences')
  const vicalOf = async (
    issueId: number,
    docType: string,
    by = operator,
    end: object = { nextUpdate: new Tag(seconds(86_400), 0) },
  ): Promise<Uint8Array> => {
    const content = encode({
      version: '1.0',
      vicalProvider: 'Provider',
      date: new Tag(seconds(-60), 0),
      vicalIssueID: issueId,
      ...end,
      certificateInfos: [
        {
          certificate: root.certificate.raw,
          serialNumber: 1n,
          ski: Buffer.from('0102', 'hex'),
          docType: [docType],
          issuingAuthority: 'Road office',
        },
      ],
    })
    const header = { x5chain: by.certificate.raw }
    // The library has the key type of another version of jose, hence the cast.
    return (await Sign1.sign({ alg: 'ES256' }, header, content, by.privateKey as never)).encode()
  }

  it('vouches for mobile documents of the types that it names, and is refused by name if it is wrong', async () => {
    const path = '/vical.cbor'
    const credential = await licence(await makeIssuer(root, YEARS), await makeHolder())
    await using service = await startService({ env: await environment(kindOf('vical', path)), maintenance: false })
    const verdict = async () => {
      const authorization = await service.bearer('verifier')
      const checked = await service.request('POST', '/api/v1/credentials/checks', {
        authorization,
        body: { credential },
      })
      return checked.json.verdict
    }
    lists.publish(path, { body: await vicalOf(1, 'org.example.other') })
    expect(await refreshed(service)).toBe('changed')
    expect(await verdict()).toMatchObject({ isValid: false })
    lists.publish(path, { body: await vicalOf(2, DOCTYPE) })
    expect(await refreshed(service)).toBe('changed')
    expect(await verdict()).toMatchObject({ isValid: true })
    lists.publish(path, { body: await vicalOf(3, DOCTYPE, makeOperator()) })
    expect(await refreshed(service)).toBe('signer')
    lists.publish(path, { body: await vicalOf(1, DOCTYPE) })
    expect(await refreshed(service)).toBe('sequence-went-back')
    const good = Buffer.from(await vicalOf(3, DOCTYPE))
    good[good.indexOf('Road office')] = 'T'.charCodeAt(0)
    lists.publish(path, { body: good })
    expect(await refreshed(service)).toBe('signature')
    lists.publish(path, { body: 'no list' })
    expect(await refreshed(service)).toBe('malformed')
    expect(await verdict()).toMatchObject({ isValid: true })
  })

  it('without an end of its own (nextUpdate) is trusted for a week after its address has confirmed it, and not longer', async () => {
    const path = '/endless.cbor'
    const credential = await licence(await makeIssuer(root, YEARS), await makeHolder())
    const began = Date.now()
    let now = new Date(began)
    await using service = await startService({
      env: await environment(kindOf('vical', path)),
      maintenance: false,
      clock: () => now,
    })
    const answer = async () => {
      const { trusted } = (await listsOf(service).explain({ credential })).json
      const [{ check, reason }] = await listsOf(service).all()
      return { trusted, check, reason }
    }
    const body = await vicalOf(1, DOCTYPE, operator, {})
    lists.publish(path, { body })
    expect(await refreshed(service)).toBe('changed')
    now = new Date(began + 7 * 86_400_000 - 1_000)
    expect(await answer()).toMatchObject({ trusted: true })
    lists.publish(path, { body: '', status: 503 })
    expect(await refreshed(service)).toBe('unreachable')
    now = new Date(began + 7 * 86_400_000 + 60_000)
    expect(await answer()).toEqual({
      trusted: false,
      check: 'not-confirmed',
      reason: expect.stringContaining('more than 168 hours ago; the last attempt failed'),
    })
    lists.publish(path, { body })
    expect(await refreshed(service)).toBe('unchanged')
    expect(await answer()).toMatchObject({ trusted: true })
  })
})
