import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, JWT_VC, movingClock, startIssuer } from '../issuer/openid4vci/actors.js'
import { runTask } from '../support/maintenance.js'
import { newWallet } from '../support/wallet-actor.js'
import { answer, ask, dcql, fetchRequest, issue, postForm, present } from '../verifier/actors.js'
import { useWorld } from '../verifier/world.js'
import { grown, startOperations } from './scrape.js'

const SESSIONS = 'credence_verification_sessions_total'
const OFFERS = 'credence_offer_sessions_total'
const VERIFICATIONS = 'credence_verifications_total'

describe('verification sessions', () => {
  const clock = movingClock()
  const world = useWorld({ clock: clock.now, maintenance: false, env: { METRICS_PORT: '0' } })
  let operations: Awaited<ReturnType<typeof startOperations>>
  beforeAll(async () => {
    operations = await startOperations(world.service)
  })
  afterAll(() => operations.close())

  async function counted(metric: string, act: () => Promise<unknown>): Promise<Record<string, number>> {
    const before = await operations.samples()
    await act()
    return grown(before, await operations.samples(), metric)
  }
  const created = '{outcome="created",check=""}'

  it('that are verified', async () => {
    const verified = await counted(SESSIONS, async () => {
      const { payload } = await world.asked('dc+sd-jwt')
      const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
      expect((await answer(payload, { purchase: [presentation] })).status).toBe(200)
      // A second answer to the same request changes nothing and is not counted.
      expect((await answer(payload, { purchase: [presentation] })).status).toBe(400)
    })
    expect(verified).toEqual({ [created]: 1, '{outcome="verified",check=""}': 1 })
  })

  it.each([
    [
      'holder-binding',
      'a presentation for another verifier',
      async () => {
        const { payload } = await world.asked('jwt_vc_json')
        const audience = 'decentralized_identifier:did:web:evil.example'
        return { payload, vp: await present(world.held.jwt_vc_json, world.wallet, payload, { audience }) }
      },
    ],
    [
      'holder-binding',
      'a thief with another key',
      async () => {
        const { payload } = await world.asked('dc+sd-jwt')
        return { payload, vp: await present(world.held['dc+sd-jwt'], await newWallet(), payload) }
      },
    ],
    [
      'revoked',
      'a revoked credential',
      async () => {
        const { payload } = await world.asked('dc+sd-jwt')
        const held = await issue(world.service, world.wallet, 'dc+sd-jwt')
        await world.service.request('POST', `/api/v1/credentials/${held.id}/revoke`, { client: true })
        return { payload, vp: await present(held, world.wallet, payload) }
      },
    ],
    [
      'issuer-trust',
      'an untrusted issuer',
      async () => {
        const { payload } = await world.asked('jwt_vc_json', { trustedIssuers: ['did:web:other.example'] })
        return { payload, vp: await present(world.held.jwt_vc_json, world.wallet, payload) }
      },
    ],
    [
      'signature',
      'an altered credential',
      async () => {
        const { payload } = await world.asked('dc+sd-jwt')
        const held = world.held['dc+sd-jwt']
        const [jwt = '', ...disclosures] = held.credential.split('~')
        const signature = jwt.split('.')[2] ?? ''
        const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
        const credential = [jwt.replace(signature, other), ...disclosures].join('~')
        return { payload, vp: await present({ ...held, credential }, world.wallet, payload) }
      },
    ],
    [
      'query',
      'a claim that is held back',
      async () => {
        const { payload } = await world.asked('dc+sd-jwt')
        return { payload, vp: await present(world.held['dc+sd-jwt'], world.wallet, payload, { disclose: [] }) }
      },
    ],
    ['format', 'garbage', async () => ({ payload: (await world.asked('dc+sd-jwt')).payload, vp: 'x~' })],
  ])('that are refused are counted by check: %s, %s', async (check, _what, make) => {
    const refused = await counted(SESSIONS, async () => {
      const { payload, vp } = await make()
      expect((await answer(payload, { purchase: [vp] })).status).toBe(400)
    })
    expect(refused).toEqual({ [created]: 1, [`{outcome="refused",check="${check}"}`]: 1 })
  })

  it('that a wallet declines, and that expire by the job or at the request of a late wallet', async () => {
    const { payload } = await world.asked('dc+sd-jwt')
    expect(
      await counted(SESSIONS, () => postForm(payload.response_uri, { error: 'access_denied', state: payload.state })),
    ).toEqual({ '{outcome="declined",check=""}': 1 })

    const open = () => ask(world.service, { dcqlQuery: dcql(world.service, 'dc+sd-jwt'), validity: 60 })
    const first = await open()
    const late = await fetchRequest(await open())
    clock.ahead += 61
    expect(await counted(SESSIONS, () => fetch(first.request_uri))).toEqual({ '{outcome="expired",check=""}': 1 })
    const form = { error: 'x', state: late.state }
    expect(await counted(SESSIONS, () => postForm(late.response_uri, form))).toEqual({
      '{outcome="expired",check=""}': 1,
    })
    await open()
    clock.ahead += 61
    const [task] = world.service.features.verificationSessions.tasks
    expect(await counted(SESSIONS, async () => task && runTask(task, clock.now()))).toEqual({
      '{outcome="expired",check=""}': 1,
    })
    clock.ahead = 0
  })

  it('credentials that are verified without a session are counted by outcome and check', async () => {
    const authorization = await world.service.bearer('verifier')
    const verify = (credential: string) =>
      world.service.request('POST', '/credentials/verify', { authorization, body: { credential } })
    const { credential } = world.held.jwt_vc_json
    const results = await counted(VERIFICATIONS, async () => {
      await verify(credential)
      await verify(`${credential.slice(0, -5)}AAAAA`)
      await verify('x.y.z')
      await verify('x.y.z')
    })
    expect(results).toEqual({
      '{outcome="valid",check=""}': 1,
      '{outcome="invalid",check="signature"}': 1,
      '{outcome="invalid",check="format"}': 2,
    })
  })

  it('requests to other services are counted by outcome', async () => {
    const { outbound } = world.service.platform
    const outcomes = await counted('credence_outbound_requests_total', async () => {
      await outbound.fetch(`${world.service.url}/.well-known/openid-credential-issuer`)
      await outbound.fetch(`${world.service.url}/openid4vci/offers/nothing`)
      for (const url of ['http://127.0.0.1:1/', 'ftp://a.example/', 'nowhere']) {
        await expect(outbound.fetch(url)).rejects.toThrow()
      }
    })
    expect(outcomes).toEqual({
      '{outcome="2xx"}': 1,
      '{outcome="4xx"}': 1,
      '{outcome="address"}': 1,
      '{outcome="scheme"}': 1,
      '{outcome="url"}': 1,
    })
  })
})

describe('sessions of credential offers', () => {
  let issuer: Issuer
  let operations: Awaited<ReturnType<typeof startOperations>>
  beforeAll(async () => {
    issuer = await startIssuer({ env: { METRICS_PORT: '0' } })
    operations = await startOperations(issuer.service)
  })
  afterAll(async () => {
    await operations.close()
    await issuer.service.close()
  })

  it('are counted by outcome and by the reason of failure', async () => {
    const before = await operations.samples()
    for (const event of ['credential_accepted', 'credential_failure', 'credential_deleted']) {
      const { credentialOfferSessionId: id } = await issuer.makeOffer()
      const token = await issuer.token(id)
      const taken = await issuer.take(token, JWT_VC)
      const notification = { notification_id: taken.json.notification_id, event }
      // A repeated notification changes nothing and is not counted.
      for (let time = 0; time < 2; time += 1) {
        expect((await issuer.notify(token, notification)).status).toBe(204)
      }
    }
    const locked = await issuer.makeOffer({ txCode: {} })
    const id = locked.credentialOfferSessionId
    const wrong = `${locked.txCode.startsWith('1') ? '2' : '1'}${locked.txCode.slice(1)}`
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await issuer.requestToken({
        grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code',
        'pre-authorized_code': await issuer.code(id),
        tx_code: wrong,
      })
    }
    expect((await issuer.session(id)).state).toBe('Error')
    expect(grown(before, await operations.samples(), OFFERS)).toEqual({
      '{outcome="created",check=""}': 4,
      '{outcome="issued",check=""}': 3,
      '{outcome="accepted",check=""}': 1,
      '{outcome="failed",check="credential-failure"}': 1,
      '{outcome="failed",check="credential-deleted"}': 1,
      '{outcome="failed",check="tx-code"}': 1,
    })
  })
})
