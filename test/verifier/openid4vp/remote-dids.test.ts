import { afterAll, beforeAll, expect, it } from 'vitest'
import { didDocument } from '../../../server/protocol/did/did-document.js'
import { createSigner } from '../../../server/protocol/jose/jws.js'
import { createVpJwt } from '../../../server/protocol/jwt-vc/presentation.js'
import { startService, type TestService } from '../../support/service.js'
import { answer, ask, dcql, fetchRequest, makeWorld } from '../actors.js'
import { startWebServer, type WebServer } from '../web-server.js'

let web: WebServer
let service: TestService

beforeAll(async () => {
  web = await startWebServer()
  service = await startService({ env: { OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${web.port}` } })
})
afterAll(async () => {
  await service.close()
  await web[Symbol.asyncDispose]()
})

it('attack: of the holders in one answer, only four DIDs on other hosts are resolved', async () => {
  const { wallet, held } = await makeWorld(service)
  const asked = await ask(service, {
    dcqlQuery: dcql(service, 'jwt_vc_json', { multiple: true }),
    responseMode: 'direct_post',
  })
  const { nonce, client_id: audience, ...payload } = await fetchRequest(asked)
  const presentationBy = async (name: string) => {
    const did = `did:web:127.0.0.1%3A${web.port}:${name}`
    const keys = [{ id: '#key', jwk: wallet.publicJwk }]
    web.documents.set(`/${name}/did.json`, { body: didDocument({ did, keys }) })
    const signer = await createSigner(wallet.privateJwk, `${did}#key`)
    const credentials = [held.jwt_vc_json.credential]
    return createVpJwt({ signer, holder: did, credentials, nonce, audience, issuedAt: new Date() })
  }
  const purchase = await Promise.all(Array.from({ length: 30 }, (_, index) => presentationBy(`holder-${index}`)))
  const reply = await answer({ ...payload, nonce, client_id: audience }, { purchase })
  // The other presentations fail and are discarded.
  expect(reply.status).toBe(200)
  expect(web.requests).toEqual([0, 1, 2, 3].map((index) => `/holder-${index}/did.json`))
  const path = `/verification-sessions/${asked.verificationSessionId}/result`
  const result = await service.request('GET', path, { authorization: await service.bearer('verifier') })
  expect([result.json.credentials.length, result.json.discarded.length]).toEqual([4, 26])
})
