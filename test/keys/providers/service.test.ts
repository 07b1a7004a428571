import { describe, expect, onTestFinished, test } from 'vitest'
import { credentialOf, JWT_VC, payloadOf, SD_JWT, startIssuer } from '../../issuer/openid4vci/actors.js'
import { query } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import { newWallet } from '../../support/wallet-actor.js'
import { verifiedByJose } from './foreign.js'
import { environmentWith, SUBJECTS } from './subjects.js'

describe.each(Object.entries(SUBJECTS))('a service whose keys are in a key provider of the kind %s', (_kind, begin) => {
  async function start() {
    const subject = await begin()
    onTestFinished(() => subject.double.close())
    const env = { ...(await environmentWith(subject)), ISSUER_KEY_PROVIDER: 'hsm', VERIFIER_KEY_PROVIDER: 'hsm' }
    return { subject, env }
  }

  test('issues credentials that jose verifies, and goes on after the provider was away', async () => {
    const { subject, env } = await start()
    const issuer = await startIssuer({ env, clock: subject.clock.now })
    onTestFinished(() => issuer.service.close())
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const access = await issuer.token(id)
    for (const configuration of [JWT_VC, SD_JWT]) {
      const credential = credentialOf(await issuer.take(access, configuration))
      await verifiedByJose(credential)
      if (configuration !== SD_JWT) continue
      const { pathname } = new URL(payloadOf(credential).status.status_list.uri)
      await verifiedByJose((await issuer.service.request('GET', pathname)).text)
    }

    const { databaseUrl, config } = issuer.service
    const keys = await query(databaseUrl, `SELECT provider, private_jwk FROM keys WHERE alg = 'ES256'`)
    expect(keys).toEqual([
      { provider: 'hsm', private_jwk: null },
      { provider: 'hsm', private_jwk: null },
    ])

    const { credentialOfferSessionId: next } = await issuer.makeOffer()
    const other = await issuer.token(next)
    const wallet = await newWallet()
    const jwt = await wallet.proof(config.issuerBaseUrl, await issuer.nonce())
    const body = { credential_configuration_id: SD_JWT, proofs: { jwt: [jwt] } }
    subject.double.faults.api = () => ({ status: 503, body: {} })
    const refused = await issuer.requestCredential(other, body)
    expect([refused.status, refused.json.error_description]).toEqual([503, 'Signing is not available at the moment.'])
    expect(refused.headers.get('retry-after')).toBe('5')
    // The wallet sends the same request, with the same nonce, again.
    subject.double.faults.api = undefined
    const answered = await issuer.requestCredential(other, body)
    expect(answered.status, answered.text).toBe(200)
    await verifiedByJose(credentialOf(answered))

    // Ended credentials are replaced without an error that a wallet could see.
    subject.revoke()
    subject.clock.pass(60)
    const { credentialOfferSessionId: last } = await issuer.makeOffer()
    await verifiedByJose(credentialOf(await issuer.take(await issuer.token(last), SD_JWT)))
  })

  test('ends its start by name if the provider refuses the credentials', async () => {
    const { subject, env } = await start()
    subject.double.faults.credentials = () => ({ status: 400, body: { error: 'hunter2' } })
    const refused = await startService({ env }).catch((error: Error) => error)
    expect(refused).toMatchObject({ name: 'ConfigurationError' })
    const { message } = refused as Error
    expect(message).toContain('KEY_PROVIDERS (hsm)')
    expect(message).toContain('status 400')
    for (const secret of subject.secrets()) expect(message).not.toContain(secret)
  })

  test('ends its start by name with a member that the kind does not have', async () => {
    const { subject, env } = await start()
    const wrong = await environmentWith({ ...subject, settings: { ...subject.settings, pin: 'hunter2' } })
    const refused = await startService({ env: { ...env, ...wrong } }).catch((error: Error) => error)
    expect(refused).toMatchObject({ name: 'ConfigurationError' })
    expect((refused as Error).message).toContain('pin')
    expect((refused as Error).message).not.toContain('hunter2')
  })
})
