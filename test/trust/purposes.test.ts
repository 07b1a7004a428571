import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { DOCTYPE, makeHolder, makeIssuer } from '../protocol/mdoc/actors.js'
import { startRemoteIssuer } from '../support/remote-issuer.js'
import { startRemoteVerifier } from '../support/remote-verifier.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet } from '../support/wallet.js'
import { newWallet as newHolder } from '../support/wallet-actor.js'
import { anchorFiles, certifiedStatusList, makeLeaf, makeRoot, membership, YEARS } from '../verifier/certified.js'
import { licence } from '../verifier/mdoc.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refreshed, refusalOf } from './lists.js'

const operator = makeOperator()
let lists: ListServer

beforeAll(async () => {
  lists = await startListServer()
})
afterAll(() => lists.close())

const withList = async (path: string, more: Readonly<Record<string, unknown>>): Promise<TestService> =>
  startService({
    maintenance: false,
    env: {
      TRUST_LISTS: await listsFile(definition(`${lists.url}${path}`, operator, more)),
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })

it('hosted wallets answer a verifier that a list of verifiers has, and no verifier that it has removed', async () => {
  const verifier = await startRemoteVerifier()
  const issuer = await startRemoteIssuer()
  const { raw } = new X509Certificate(await readFile(verifier.anchorFile))
  const root = { x5c: raw.toString('base64') } as TestCertificate
  lists.publish('/verifiers.jwt', { body: await makeList(operator, [{ name: 'Registrar', issuance: [root] }]) })
  await using service = await withList('/verifiers.jwt', { purpose: 'verifiers' })
  const wallet = await newWallet(service)
  expect((await wallet.process(await issuer.offer())).status).toBe(200)
  const query = {
    credentials: [{ id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [`${issuer.url}/vct/diploma`] } }],
  }
  const answer = async () => wallet.process(await verifier.request(query, { prefix: 'x509_hash' }))
  expect((await answer()).text).toContain(
    `Verifier is not on the list ${lists.url}/verifiers.jwt (list has not been read yet).`,
  )
  expect(await refreshed(service)).toBe('changed')
  expect((await answer()).status).toBe(200)
  const without = [{ name: 'Registrar', issuance: [makeRoot('Other')] }]
  lists.publish('/verifiers.jwt', { body: await makeList(operator, without, { sequence: 2 }) })
  expect(await refreshed(service)).toBe('changed')
  expect((await answer()).text).toContain('Verifier is not on the list')
  await verifier.close()
  await issuer.close()
})

it('a mobile document is trusted by a list that is for its doctype', async () => {
  const authority = makeRoot('C=DE/Authority of licences')
  const credential = await licence(await makeIssuer(authority, YEARS), await makeHolder())
  lists.publish('/mdl.jwt', { body: await makeList(operator, [{ name: 'Road office', issuance: [authority] }]) })
  await using service = await withList('/mdl.jwt', { types: [DOCTYPE] })
  const verdict = async () => {
    const authorization = await service.bearer('verifier')
    const path = '/api/v1/credentials/checks'
    return (await service.request('POST', path, { authorization, body: { credential } })).json.verdict
  }
  expect(JSON.stringify(await verdict())).toContain('list has not been read yet')
  expect(await refreshed(service)).toBe('changed')
  expect(await verdict()).toMatchObject({ isValid: true })
  await using other = await withList('/mdl.jwt', { types: ['org.example.other'] })
  expect(await refreshed(other)).toBe('changed')
  const explained = (await listsOf(other).explain({ credential })).json
  expect(explained).toMatchObject({ trusted: false, types: [DOCTYPE] })
  expect(explained.places[1]).toMatchObject({ answer: 'not-trusted', entity: 'Road office' })
})

it('a status list is accepted from an entity of a list for status, and from no other entity', async () => {
  await using files = await anchorFiles()
  const [issuerRoot, statusRoot, other] = [makeRoot('Issuer'), makeRoot('Status'), makeRoot('Other')]
  const holder = await newHolder()
  const entities = [
    { name: 'Registrar', issuance: [other], revocation: [statusRoot] },
    { name: 'Agency', revocation: [makeRoot('Agency')] },
  ]
  lists.publish('/status.jwt', { body: await makeList(operator, entities) })
  await using service = await startService({
    maintenance: false,
    env: {
      TRUST_ANCHORS: await files.write('issuers', issuerRoot),
      TRUST_LISTS: await listsFile(definition(`${lists.url}/status.jwt`, operator, { purpose: 'status' })),
      TRUSTED_ISSUERS: 'self,x5c',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  const withStatus = async (signedBy: TestCertificate, revoked: readonly number[] = []) => {
    const uri = `${lists.url}/status/${crypto.randomUUID()}`
    lists.publish(new URL(uri).pathname, { body: await certifiedStatusList(signedBy, uri, revoked) })
    const status = { status_list: { uri, idx: 3 } }
    return refusalOf(service, holder, await membership(makeLeaf(issuerRoot), holder, { status }))
  }
  const NOT_ON = `Signer of the status list is not on the list ${lists.url}/status.jwt`
  expect(await withStatus(makeLeaf(statusRoot))).toContain(`${NOT_ON} (list has not been read yet).`)
  expect(await refreshed(service)).toBe('changed')
  expect(await withStatus(makeLeaf(statusRoot))).toBeUndefined()
  expect(await withStatus(makeLeaf(statusRoot), [3])).toContain('revoked')
  expect(await withStatus(makeLeaf(makeRoot('Stranger')))).toContain(`${NOT_ON}.`)
  // Certificates for issuing sign no status lists, and a list for status vouches for no issuer.
  expect(await withStatus(makeLeaf(other))).toContain('is for another use')
  const credential = await membership(makeLeaf(other), holder)
  expect(await refusalOf(service, holder, credential)).toContain('Issuer key cannot be resolved')
})
