import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { DOCTYPE, makeHolder, makeIssuer } from '../protocol/mdoc/actors.js'
import { startRemoteIssuer } from '../support/remote-issuer.js'
import { startRemoteVerifier } from '../support/remote-verifier.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet } from '../support/wallet.js'
import { makeRoot, YEARS } from '../verifier/certified.js'
import { licence } from '../verifier/mdoc.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refreshed } from './lists.js'

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
