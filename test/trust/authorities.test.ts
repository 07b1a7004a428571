import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signCompact } from '../../server/protocol/jose/jws.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { startRemoteIssuer } from '../support/remote-issuer.js'
import { startRemoteVerifier } from '../support/remote-verifier.js'
import { startService, type TestService } from '../support/service.js'
import { newWallet } from '../support/wallet.js'
import { newWallet as newHolder, type WalletActor } from '../support/wallet-actor.js'
import { ask, fetchRequest } from '../verifier/actors.js'
import { MEMBERSHIP, makeLeaf, makeRoot, membership, signerOf } from '../verifier/certified.js'
import { type ListServer, startListServer } from './list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refusalOf } from './lists.js'

const NONE = 'Credential club comes from none of the trusted_authorities.'

const NO_MATCH = 'Could not find the required credentials for the presentation submission'

const operator = makeOperator()
const [authority, other] = [makeRoot('Authority'), makeRoot('Other')]
const signer = makeLeaf(authority)

let lists: ListServer
let service: TestService
let holder: WalletActor
const url = (name: string) => `${lists.url}/${name}.jwt`

beforeAll(async () => {
  lists = await startListServer()
  lists.publish('/one.jwt', { body: await makeList(operator, [{ name: 'One', issuance: [authority] }]) })
  lists.publish('/two.jwt', { body: await makeList(operator, [{ name: 'Two', issuance: [other] }]) })
  service = await startService({
    maintenance: false,
    env: {
      TRUST_LISTS: await listsFile(
        definition(url('status'), operator, { purpose: 'status' }),
        definition(url('vical'), operator, { kind: 'vical', profile: undefined }),
      ),
      TRUSTED_ISSUERS: '*',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  lists.publish('/bare.jwt', { body: await makeList(operator, [{ name: 'Bare', bareKeys: [signer] }]) })
  for (const name of ['one', 'two', 'bare']) {
    const added = await listsOf(service).add(definition(url(name), operator))
    expect(added.json.state).toBe('usable')
  }
  holder = await newHolder()
})
afterAll(async () => {
  await service.close()
  await lists.close()
})

const queryOf = (authorities: readonly unknown[], vct = MEMBERSHIP) => ({
  credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, trusted_authorities: authorities }],
})
const etsi = (...values: readonly string[]) => ({ type: 'etsi_tl', values })

describe('trusted_authorities of type etsi_tl (OpenID4VP 1.0 §6.1.1.2), judged by the verifier', () => {
  const refusal = (credential: string, ...authorities: readonly unknown[]) =>
    refusalOf(service, holder, credential, { dcqlQuery: queryOf(authorities) })

  it('accept the credential of an issuer on the list, by one of several entries', async () => {
    const credential = await membership(signer, holder)
    expect(await refusal(credential, etsi(url('one')))).toBeUndefined()
    expect(await refusal(credential, etsi(url('two'), url('one')))).toBeUndefined()
    expect(await refusal(credential, etsi(url('two')), etsi(url('one')))).toBeUndefined()
    expect(await refusal(credential, { type: 'aki', values: ['AAAA'] }, etsi(url('one')))).toBeUndefined()
  })

  it('attack: refuse the credential of an issuer that is on another list only', async () => {
    expect(await refusal(await membership(signer, holder), etsi(url('two')))).toBe(NONE)
  })

  it('attack: refuse a credential whose key is on the list without a certificate, so that nothing names the issuer', async () => {
    expect(await refusal(await membership(signer, holder), etsi(url('bare')))).toBe(NONE)
  })

  it('attack: refuse a chain that has a certificate of the list behind its own end', async () => {
    const x5c = [signer.x5c, other.x5c]
    expect(await refusal(await membership(signer, holder, {}, { x5c }), etsi(url('two')))).toBe(NONE)
  })

  it('attack: refuse a certificate of the list that somebody has copied into the header', async () => {
    const stranger = await newHolder()
    const header = { typ: 'dc+sd-jwt', kid: stranger.signer.kid, x5c: [signer.x5c] }
    const payload = { iss: stranger.did, vct: MEMBERSHIP, cnf: { jwk: holder.publicJwk } }
    expect(await refusal(`${await signCompact(stranger.signer, header, payload)}~`, etsi(url('one')))).toBe(NONE)
  })

  it.each<[string, () => unknown, string]>([
    [
      'a list that the service does not read',
      () => etsi(url('one'), 'https://lists.example/unknown.jwt'),
      'values.1 must be the address of a trusted list for credentials that this service reads',
    ],
    [
      'a list for another purpose',
      () => etsi(url('status')),
      'values.0 must be the address of a trusted list for credentials that this service reads',
    ],
    [
      'a VICAL, which is no list of ETSI',
      () => etsi(url('vical')),
      'values.0 must be the address of a trusted list for credentials that this service reads',
    ],
    ['no address', () => etsi('one'), 'values.0 must be the address of a trusted list'],
    [
      'openid_federation',
      () => ({ type: 'openid_federation', values: ['https://federation.example'] }),
      'type must be aki or etsi_tl; openid_federation and other types are not supported',
    ],
  ])('are refused in a request that names %s', async (_name, authority, message) => {
    const authorization = await service.bearer('verifier')
    const body = { dcqlQuery: queryOf([authority()]) }
    const { status, json } = await service.request('POST', '/authorization-requests', { authorization, body })
    expect([status, JSON.stringify(json.message)]).toEqual([400, expect.stringContaining(message)])
    expect(JSON.stringify(json.message)).toContain('dcqlQuery.credentials.0.trusted_authorities.0.')
  })

  it('stand in the request as they were asked', async () => {
    const payload = await fetchRequest(await ask(service, { dcqlQuery: queryOf([etsi(url('one'))]) }))
    expect(payload.dcql_query.credentials[0]).toMatchObject({ trusted_authorities: [etsi(url('one'))] })
  })
})

describe('trusted_authorities, judged by a hosted wallet', () => {
  it('match only credentials whose issuer is on the list, and never by openid_federation', async () => {
    const listed = (): TestCertificate => makeLeaf(authority, { uri: [issuer.url] })
    const issuer = await startRemoteIssuer({
      forge: async ({ url: iss }, { publicJwk }) => {
        const leaf = listed()
        const header = { typ: 'dc+sd-jwt', kid: undefined, x5c: [leaf.x5c] }
        const payload = { iss, vct: `${iss}/vct/diploma`, degree: 'Laurea', cnf: { jwk: publicJwk } }
        return `${await signCompact(await signerOf(leaf), header, payload)}~`
      },
    })
    const verifier = await startRemoteVerifier()
    const wallet = await newWallet(service)
    const received = await wallet.process(await issuer.offer())
    expect([received.status, received.text]).toEqual([200, expect.anything()])
    const answer = async (...authorities: readonly unknown[]) => {
      const query = queryOf(authorities, `${issuer.url}/vct/diploma`)
      const { status, json } = await wallet.process(await verifier.request(query))
      return status === 200 ? 'answered' : json.message
    }
    expect(await answer(etsi(url('one')))).toBe('answered')
    expect(await answer(etsi(url('two'), url('one')))).toBe('answered')
    expect(await answer(etsi(url('two')))).toBe(NO_MATCH)
    expect(await answer(etsi('https://lists.example/unknown.jwt'))).toBe(NO_MATCH)
    const federation = { type: 'openid_federation', values: ['https://federation.example'] }
    expect(await answer(federation)).toBe(NO_MATCH)
    expect(await answer(federation, etsi(url('one')))).toBe('answered')
    await verifier.close()
    await issuer.close()
  })
})
