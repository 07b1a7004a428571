import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeCompact, signCompact } from '../../server/protocol/jose/jws.js'
import { createTokenStatusList } from '../../server/protocol/status-list/token-status-list.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { DIPLOMA_SD_JWT, type RemoteIssuer, startRemoteIssuer } from '../support/remote-issuer.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet } from '../support/wallet.js'
import { makeLeaf, makeRoot, signerOf } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, makeList, makeOperator, refreshed } from './lists.js'

const operator = makeOperator()
const [authority, revocation, other] = [makeRoot('Authority'), makeRoot('Revocation'), makeRoot('Other')]

let lists: ListServer
let service: TestService
let issuer: RemoteIssuer
const status = () => `${lists.url}/status/1`

beforeAll(async () => {
  lists = await startListServer()
  const entities = [
    { name: 'Ministry', issuance: [authority], revocation: [revocation] },
    { name: 'Agency', issuance: [other] },
  ]
  lists.publish('/pid.jwt', { body: await makeList(operator, entities) })
  service = await startService({
    maintenance: false,
    env: {
      TRUST_LISTS: await listsFile(definition(`${lists.url}/pid.jwt`, operator)),
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  expect(await refreshed(service)).toBe('changed')
  issuer = await startRemoteIssuer({
    forge: async ({ url: iss }, { publicJwk }) => {
      const leaf = makeLeaf(authority, { uri: [iss] })
      const header = { typ: 'dc+sd-jwt', kid: undefined, x5c: [leaf.x5c] }
      const status_list = { uri: status(), idx: 3 }
      const payload = { iss, vct: `${iss}/vct/diploma`, cnf: { jwk: publicJwk }, status: { status_list } }
      return `${await signCompact(await signerOf(leaf), header, payload)}~`
    },
  })
})
afterAll(async () => {
  await issuer.close()
  await service.close()
  await lists.close()
})

/** Publishes the status list of the issuer's address, in which the credential is valid. */
async function publish(by: TestCertificate): Promise<void> {
  const signer = await signerOf(by)
  const list = await createTokenStatusList({
    signer,
    issuer: issuer.url,
    uri: status(),
    revokedIndices: [],
    size: 1_024,
    issuedAt: new Date(Date.now() - 60_000),
    expiresAt: new Date(Date.now() + 60_000),
    ttlSeconds: 60,
  })
  const { payload } = decodeCompact(list)
  const header = { typ: 'statuslist+jwt', kid: undefined, x5c: [by.x5c] }
  lists.publish('/status/1', { body: await signCompact(signer, header, { ...payload, iss: issuer.url }) })
}

describe('the status of a held credential whose issuer is on a list', () => {
  it('is read from the entity of the issuer, and from no other entity that certifies its address', async () => {
    await publish(makeLeaf(revocation))
    const wallet = await newWallet(service)
    const taken = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]))
    expect(taken.status, taken.text).toBe(200)
    const shown = async () => {
      const { json, text } = await wallet.get('/credentials')
      return (json.items ?? json)[0]?.status ?? text
    }
    expect(await shown()).toBe('valid')
    await publish(makeLeaf(other, { uri: [issuer.url] }))
    expect(await shown()).toBe('unknown')
  })
})
