import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { makeLeaf, makeRoot } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { keyRefusalOf, listsFile, listsOf } from './lists.js'
import { ACCEPTED_JSON, ACCEPTED_XML, type SignerName, WRONG_JSON, WRONG_XML } from './sd-dss/cases.js'
import { type SdDss, startSdDss } from './sd-dss/java.js'
import { type MadeLists, makeLists } from './sd-dss/made-lists.js'
import { readRecording, writeRecording } from './sd-dss/recording.js'

// SD-DSS is the European Commission's library for signatures, which reads the lists of the member states. Without Java, the
// lists that it has signed before are read again, at the time of then.
const IS_LIVE = process.env.SD_DSS === '1'
const HOW = IS_LIVE ? 'that SD-DSS signs now' : 'that SD-DSS has signed before'
const PERSONS = 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC'
const FIRST_XML = 'RSA and SHA-256, version 6'
const FIRST_JSON = 'ES256'

let dss: SdDss | undefined
let made: MadeLists
let lists: ListServer
let service: TestService

beforeAll(async () => {
  if (IS_LIVE) dss = await startSdDss()
  made = dss === undefined ? readRecording() : await makeLists(dss)
  if (IS_LIVE && process.env.UPDATE_SD_DSS === 'true') writeRecording(made)
  const now = new Date(made.madeAt)
  lists = await startListServer()
  service = await startService({
    env: { TRUSTED_ISSUERS: 'x5c', TRUST_LISTS: await listsFile(), OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
    maintenance: false,
    clock: () => now,
  })
}, 400_000)
afterAll(async () => {
  await service?.close()
  await lists?.close()
  await dss?.[Symbol.asyncDispose]()
})

const refusalOf = async (issuer: keyof MadeLists['credentials']) => keyRefusalOf(service, made.credentials[issuer])

let lastNumber = 0

/** Publishes a list at a new address, and adds this address to the service. The list is removed again after the test. */
async function add(body: string, signers: readonly SignerName[], members: Readonly<Record<string, unknown>>) {
  lastNumber += 1
  const path = `/${lastNumber}`
  lists.publish(path, { body })
  const { status, json } = await listsOf(service).add({
    url: `${lists.url}${path}`,
    purpose: 'credentials',
    signer: { pem: [...new Set(signers)].map((name) => made.pins[name]).join('\n') },
    ...members,
  })
  expect(status, JSON.stringify(json)).toBe(201)
  const { id } = json
  return {
    id,
    publish: (other: string) => lists.publish(path, { body: other }),
    refresh: async () => (await listsOf(service).refresh(id)).json,
    shown: async () => (await listsOf(service).read(id)).json,
    [Symbol.asyncDispose]: async () => void (await listsOf(service).remove(id)),
  }
}

const addXml = (
  name: string,
  signers: readonly SignerName[] = ['rsa'],
  members: Readonly<Record<string, unknown>> = {},
) => add(made.xml[name] ?? '', signers, { kind: 'tsl', territory: 'SK', ...members })

const addJson = (name: string, signers: readonly SignerName[] = ['p256']) =>
  add(made.json[name] ?? '', signers, { kind: 'lote', profile: 'pid', territory: 'EU' })

/** Publishes a wrong list in place of a good one. The good one must stay in use. */
async function expectRefusal(
  added: Awaited<ReturnType<typeof add>>,
  wrong: string | undefined,
  { check, sentence }: { readonly check: string; readonly sentence: string },
) {
  added.publish(wrong ?? '')
  expect((await added.refresh()).outcome).toBe(check)
  const shown = await added.shown()
  expect(shown).toMatchObject({ state: 'failing', check, sequenceNumber: 5 })
  // The service shows sentences without their full stop.
  expect(shown.reason).toContain(sentence.replace(/\.$/, ''))
  expect(await refusalOf('granted')).toBeUndefined()
  expect(await refusalOf('strange')).toContain('Issuer is not on the list')
}

/** Every signer but the stranger is pinned, so that a list is refused for the named fault alone. */
const pinned = (first: SignerName, by: SignerName = first): readonly SignerName[] =>
  by === 'stranger' ? [first] : [first, by]

describe(`a national list in XML (ETSI TS 119 612) ${HOW}`, () => {
  it.each(Object.entries(ACCEPTED_XML))('is read with %s, and decides who is trusted', async (name, { by = 'rsa' }) => {
    await using added = await addXml(name, [by])
    expect(await added.shown()).toMatchObject({
      state: 'usable',
      sequenceNumber: 5,
      operator: { en: 'National Security Authority', sk: 'Národný bezpečnostný úrad' },
      entities: 3,
    })
    expect(await refusalOf('granted')).toBeUndefined()
    expect(await refusalOf('withdrawn')).toContain('is withdrawn since')
    expect(await refusalOf('later')).toContain('starts at')
    expect(await refusalOf('unknown')).toContain('is in a state that is not known')
    expect(await refusalOf('persons')).toContain('is for another use')
    expect(await refusalOf('strange')).toContain('Issuer is not on the list')
  })

  it('has providers with names in several scripts, and services with their states', async () => {
    await using added = await addXml(FIRST_XML)
    expect((await listsOf(service).entities(added.id)).json.items).toMatchObject([
      {
        names: { en: 'Ministry of the Interior', sk: 'Ministerstvo vnútra', el: 'Υπουργείο', bg: 'Министерство' },
        services: [{ isTrusted: true }, { type: PERSONS, isTrusted: false }],
      },
      { names: { en: 'Former provider' }, services: [{ isTrusted: false }, { isTrusted: false }] },
      { names: { en: 'New provider' }, services: [{ isTrusted: false }] },
    ])
  })

  it('vouches for issuers of another type of service if the operator of this service names the type', async () => {
    await using _ = await addXml(FIRST_XML, ['rsa'], { serviceTypes: [PERSONS] })
    expect(await refusalOf('persons')).toBeUndefined()
    expect(await refusalOf('granted')).toContain('is for another use')
  })

  it.each(Object.entries(WRONG_XML))('is refused by name with %s', async (name, wrong) => {
    await using added = await addXml(FIRST_XML, pinned('rsa', wrong.by))
    await expectRefusal(added, made.wrongXml[name], wrong)
  })
})

describe(`a list of trusted entities (ETSI TS 119 602) ${HOW}`, () => {
  it.each(Object.entries(ACCEPTED_JSON))(
    'is read with %s, and decides who is trusted',
    async (name, { by = 'p256' }) => {
      await using added = await addJson(name, [by])
      expect(await added.shown()).toMatchObject({ state: 'usable', sequenceNumber: 5, entities: 1 })
      expect(await refusalOf('granted')).toBeUndefined()
      expect(await refusalOf('strange')).toContain('Issuer is not on the list')
    },
  )

  it.each(Object.entries(WRONG_JSON))('is refused by name with %s', async (name, wrong) => {
    await using added = await addJson(FIRST_JSON, pinned('p256', wrong.by))
    await expectRefusal(added, made.wrongJson[name], wrong)
  })
})

const LEFT_OUT = IS_LIVE ? '' : ' (left out: `npm run test:sd-dss` runs it with Java and Maven)'

describe.runIf(IS_LIVE)(`SD-DSS as a reader${LEFT_OUT}`, () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const ask = async (request: Readonly<Record<string, unknown>>) => dss?.ask(request)
  const pinOf = (name: SignerName) => made.pins[name].replace(/-----[^-]+-----|\s/g, '')

  it.each(Object.entries(ACCEPTED_XML))('finds the list with %s valid too', async (name, { by = 'rsa' }) => {
    const document = base64(made.xml[name] ?? '')
    expect(await ask({ do: 'validate-xml', document, name: 'list.xml', signers: [pinOf(by)] })).toMatchObject({
      indication: 'TOTAL_PASSED',
    })
  })

  it('finds the list that this service publishes valid, in JAdES baseline B, and no changed one', async () => {
    const root = makeRoot('C=DE/Root of the ministry')
    const own = makeLeaf(root, { subject: 'Own issuer', dns: ['127.0.0.1'] })
    const keyFile = await listsFile()
    writeFileSync(keyFile, `${own.privateKey.export({ type: 'pkcs8', format: 'pem' })}${own.certificate}`)
    const address = {
      street: 'Street 1',
      locality: 'Town',
      postalCode: '1',
      country: 'DE',
      electronic: ['mailto:trust@ministry.example'],
    }
    const published = {
      name: 'issuers',
      kind: 'lote',
      profile: 'pid',
      signer: 'default',
      operator: { en: 'Ministry' },
      operatorAddress: address,
      schemeName: { en: 'Issuers of the ministry' },
      informationUri: 'https://ministry.example/list',
      policyUri: 'https://ministry.example/list/policy',
      territory: 'EU',
      entities: [
        {
          name: { en: 'Ministry' },
          issuers: ['default'],
          address,
          informationUri: 'https://ministry.example/trust',
        },
      ],
    }
    await using publisher = await startService({
      maintenance: false,
      env: { ISSUER_X509: keyFile, PUBLISHED_TRUST_LISTS: await listsFile(published) },
    })
    const jws = await (await fetch(`${publisher.url}/trust-lists/issuers`)).text()
    const validated = (text: string, signer: string) =>
      ask({ do: 'validate-json', document: base64(text), name: 'list.jwt', signers: [signer] })
    expect(await validated(jws, own.x5c)).toMatchObject({
      validator: 'JWSCompactDocumentValidator',
      signatures: 1,
      format: 'JAdES-BASELINE-B',
      indication: 'TOTAL_PASSED',
      errors: [],
    })
    const [header, payload = '', signature] = jws.split('.')
    const other = Buffer.from(payload, 'base64url').toString().replace('"Ministry"', '"Minister"')
    const changed = [header, Buffer.from(other).toString('base64url'), signature].join('.')
    expect(await validated(changed, own.x5c)).toMatchObject({ indication: 'TOTAL_FAILED' })
    expect(await validated(jws, makeRoot('Stranger').x5c)).toMatchObject({
      indication: 'INDETERMINATE',
      sub: 'NO_CERTIFICATE_CHAIN_FOUND',
    })
  })
})
