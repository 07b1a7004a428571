import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SUBJECT } from '../../issuer/purchase.js'
import { query } from '../../support/postgres.js'
import { DIPLOMA_JWT, startRemoteIssuer } from '../../support/remote-issuer.js'
import { startRemoteVerifier } from '../../support/remote-verifier.js'
import { type HostedWallet, newWallet } from '../../support/wallet.js'
import { newRemoteKey } from '../../support/wallet-callbacks.js'
import { newRemoteDeferral } from '../../support/wallet-remote-deferral.js'
import { ask, sessionOf } from '../../verifier/actors.js'
import { type FlowWorld, makeFlowWorld } from '../flow-world.js'

let world: FlowWorld

beforeAll(async () => {
  world = await makeFlowWorld()
})
beforeEach(() => {
  world.later = 0
})
afterAll(() => world.close())

describe('confirming a claim', () => {
  it('takes an offering of this installation into the hosted wallet, with any selected object', async () => {
    const holder = await newWallet(world.service, 'carol')
    const { json } = await world.start((await world.offering()).qr_code_url, holder.did, holder.authorization)
    const answer = await world.confirm(json.data.processId, 'claim', { id: 'anything' }, holder.authorization)
    expect([answer.status, answer.json.status, answer.json.message]).toEqual([200, 'confirmed', 'Credential claimed.'])
    const held = (await holder.get('/credentials')).json
    expect(held.map(({ id }: { id: string }) => id).sort()).toEqual(
      answer.json.data.credentials.map(({ id }: { id: string }) => id).sort(),
    )
    const { json: read } = await holder.get(
      `/credentials/${held.find(({ format }: { format: string }) => format === 'jwt_vc_json').id}`,
    )
    expect(decodeJwt(read.credential)).toMatchObject({ sub: holder.did })
  })

  it('takes the offer of a remote issuer, with its transaction code', async () => {
    await using issuer = await startRemoteIssuer({ txCode: '1234' })
    const { json } = await world.start(await issuer.offer([DIPLOMA_JWT]))
    const answer = await world.confirm(json.data.processId, 'claim', {}, world.wallet.authorization, { txCode: '1234' })
    expect([answer.status, answer.json.data.credentials.length]).toEqual([200, 1])
  })

  it('waits for an issuer that defers, and the answer says so', async () => {
    await using issuer = await startRemoteIssuer({ deferral: newRemoteDeferral(600) })
    const { json } = await world.start(await issuer.offer())
    const answer = await world.confirm(json.data.processId, 'claim')
    expect([answer.status, answer.json]).toEqual([
      200,
      { status: 'confirmed', message: 'Credential will follow.', data: { credentials: [], deferred: 2 } },
    ])
  })

  it('a remote refusal is a 500 with its reason, and the flow may be confirmed again', async () => {
    await using issuer = await startRemoteIssuer({ txCode: '1234' })
    const { json } = await world.start(await issuer.offer([DIPLOMA_JWT]))
    const refused = await world.confirm(json.data.processId, 'claim', {}, world.wallet.authorization, {
      txCode: '9999',
    })
    expect([refused.status, refused.json.message]).toEqual([
      500,
      "The authorization server refused the request: invalid_grant: Invalid 'tx_code' provided",
    ])
    const [flow] = await query(world.service.databaseUrl, 'SELECT state, error_message FROM flows WHERE id = $1', [
      json.data.processId,
    ])
    expect(flow).toEqual({ state: 'initialized', error_message: refused.json.message })
    const again = await world.confirm(json.data.processId, 'claim', {}, world.wallet.authorization, { txCode: '1234' })
    expect(again.status).toBe(200)
  })

  it('an offering that has expired or was used up says so from the start, and is refused like a claim', async () => {
    const { authorization, did } = await world.guest()
    const once = await world.offering({ redemption_limit: 1 })
    const { json } = await world.start(once.offering_full_url, did, authorization)
    expect(json.data.errorMessage).toBeUndefined()
    await world.service.request('POST', `/api/v1/offerings/${once.id}/claim`, {
      authorization: await world.service.bearer('fast'),
    })
    const late = await world.start(once.offering_full_url, did, authorization)
    expect(late.json.data.errorMessage).toBe('Offering redemption limit reached.')
    const refused = await world.confirm(json.data.processId, 'claim', {}, authorization)
    expect([refused.status, refused.json.message]).toEqual([409, 'Offering redemption limit reached.'])

    const short = await world.offering({ expires_at: new Date(Date.now() + 60_000).toISOString() })
    const flow = await world.start(short.offering_full_url, did, authorization)
    world.later = 61_000
    const expired = await world.confirm(flow.json.data.processId, 'claim', {}, authorization)
    expect([expired.status, expired.json.message]).toEqual([410, 'Offering has expired.'])
  })

  it('an offering for another recipient shows no subject and is refused', async () => {
    const { authorization, did } = await world.guest()
    const bound = await world.offering({ recipient: (await newRemoteKey()).did })
    const { json } = await world.start(bound.offering_full_url, did, authorization)
    expect(json.data).toMatchObject({
      offering: { credential_type: world.type, credential_subject: {} },
      errorMessage: 'Offering is for another recipient.',
    })
    const refused = await world.confirm(json.data.processId, 'claim', {}, authorization)
    expect([refused.status, refused.json.message]).toEqual([403, 'Offering is for another recipient.'])
  })

  it('an offering for the same DID is claimed', async () => {
    const { authorization, did } = await world.guest()
    const bound = await world.offering({ recipient: did })
    const { json } = await world.start(bound.offering_full_url, did, authorization)
    expect(json.data.offering.credential_subject).toEqual(SUBJECT)
    const answer = await world.confirm(json.data.processId, 'claim', {}, authorization)
    expect(answer.json.data.vc.credentialSubject.id).toBe(did)
  })
})

describe('confirming a presentation', () => {
  async function started(holder: HostedWallet) {
    const asked = await ask(world.service, { dcqlQuery: world.dcqlQuery(), redirectUri: 'https://shop.example/done' })
    const { json } = await world.start(asked.authorizationRequestUri, holder.did, holder.authorization)
    return { asked, data: json.data }
  }

  it('presents the selected matching credential', async () => {
    const holder = await world.holding('dave')
    await holder.process((await world.offering({ credential_subject: { product: 'Kettle' } })).offering_full_url)
    const { asked, data } = await started(holder)
    expect(data.matchingCredentials).toHaveLength(2)
    const chosen = data.matchingCredentials.find(
      ({ credentialSubject }: { credentialSubject: { product: string } }) =>
        credentialSubject.product === SUBJECT.product,
    )
    expect(chosen).toMatchObject({
      format: 'jwt_vc_json',
      type: ['VerifiableCredential', world.type],
      credentialSubject: SUBJECT,
    })
    const answer = await world.confirm(data.processId, 'presentation', chosen, holder.authorization)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      status: 'confirmed',
      message: 'Credential presented.',
      data: { redirectUri: expect.stringContaining('https://shop.example/done?response_code=') },
    })
    expect(await sessionOf(world.service, asked)).toMatchObject({ state: 'ResponseVerified' })
    const [presentation] = (await holder.get('/presentations')).json
    expect(presentation.credentials).toEqual([
      { queryId: 'purchase', credentialId: chosen.id, claims: expect.any(Array) },
    ])
  })

  it('uses only the id of the selection', async () => {
    const holder = await world.holding('erin')
    const { asked, data } = await started(holder)
    const [{ id }] = data.matchingCredentials
    const forged = { id, credentialSubject: { product: 'Yacht' }, proof: { jws: 'a.b.c' }, vc: {} }
    expect((await world.confirm(data.processId, 'presentation', forged, holder.authorization)).status).toBe(200)
    const result = await world.service.request('GET', `/verification-sessions/${asked.verificationSessionId}/result`, {
      authorization: await world.service.bearer('verifier'),
    })
    expect(JSON.stringify(result.json)).not.toContain('Yacht')
  })

  it.each([
    ['no id', () => ({})],
    ['an id that is not a string', () => ({ id: 7 })],
    ['an id of no credential', () => ({ id: crypto.randomUUID() })],
  ])('%s is a 400, and the flow still waits', async (_what, selected) => {
    const holder = await world.holding('frank')
    const { data } = await started(holder)
    const answer = await world.confirm(data.processId, 'presentation', selected(), holder.authorization)
    expect([answer.status, answer.json.message]).toEqual([
      400,
      ['selectedCredential.id must be the id of a matching credential'],
    ])
    const [{ id }] = data.matchingCredentials
    expect((await world.confirm(data.processId, 'presentation', { id }, holder.authorization)).status).toBe(200)
  })

  it('the credential of another holder cannot be chosen, even by its id', async () => {
    const [holder, victim] = [await world.holding('grace'), await world.holding('heidi')]
    const { data } = await started(holder)
    const stolen = (await victim.get('/credentials')).json.find(
      ({ format }: { format: string }) => format === 'jwt_vc_json',
    )
    const answer = await world.confirm(data.processId, 'presentation', { id: stolen.id }, holder.authorization)
    expect(answer.status).toBe(400)
  })

  it('a wallet without a match has no credential to choose', async () => {
    const holder = await newWallet(world.service, 'ivan')
    const { data } = await started(holder)
    expect(data.matchingCredentials).toEqual([])
    expect((await world.confirm(data.processId, 'presentation', { id: 'x' }, holder.authorization)).status).toBe(400)
  })

  it('a refusal of the verifier is a 500 with its reason', async () => {
    await using verifier = await startRemoteVerifier({
      answer: () => ({ status: 400, body: { error: 'invalid_request', error_description: 'No.' } }),
    })
    const holder = await world.holding('judy')
    const { json } = await world.start(await verifier.request(world.dcqlQuery()), holder.did, holder.authorization)
    const [{ id }] = json.data.matchingCredentials
    const answer = await world.confirm(json.data.processId, 'presentation', { id }, holder.authorization)
    expect([answer.status, answer.json.message]).toEqual([
      500,
      'The verifier refused the presentation: invalid_request: No.',
    ])
  })
})
