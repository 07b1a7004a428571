import { describe, expect, it } from 'vitest'
import { signCompact } from '../../../server/protocol/jose/jws.js'
import { presentSdJwtVc } from '../../../server/protocol/sd-jwt-vc/present.js'
import { newWallet } from '../../support/wallet-actor.js'
import { answer, issue, present } from '../actors.js'
import { FORMATS, useWorld } from '../world.js'

const world = useWorld()
const kb = 'Presentation for purchase: Key Binding JWT'
const vp = 'Presentation for purchase: Presentation'

describe('a proof for another request', () => {
  it.each([
    ['dc+sd-jwt', { nonce: 'another' }, `${kb} nonce is not that of the request.`],
    ['dc+sd-jwt', { audience: 'decentralized_identifier:did:web:evil.example' }, `${kb} aud is not this verifier.`],
    ['jwt_vc_json', { nonce: 'another' }, `${vp} nonce is not that of the request.`],
    ['jwt_vc_json', { audience: 'decentralized_identifier:did:web:evil.example' }, `${vp} aud is not this verifier.`],
  ] as const)('%s with %j', async (format, wrong, sentence) => {
    const { asked: request, payload } = await world.asked(format)
    const presentation = await present(world.held[format], world.wallet, payload, wrong)
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })

  it.each(FORMATS)(
    'the client identifier without its prefix is not an audience (OpenID4VP 1.0 §14.8, %s)',
    async (format) => {
      const { asked: request, payload } = await world.asked(format)
      const audience = payload.client_id.replace('decentralized_identifier:', '')
      const presentation = await present(world.held[format], world.wallet, payload, { audience })
      const sentence = format === 'dc+sd-jwt' ? `${kb} aud is not this verifier.` : `${vp} aud is not this verifier.`
      await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
    },
  )

  it.each([
    ['dc+sd-jwt', 3_600, `${kb} is not valid yet: iat lies in the future.`],
    ['dc+sd-jwt', -3_600, `${kb} is older than its request.`],
    ['jwt_vc_json', 3_600, `${vp} is not valid yet: nbf lies in the future.`],
    ['jwt_vc_json', -3_600, `${vp} is older than its request.`],
  ] as const)('%s made %i seconds from now', async (format, seconds, sentence) => {
    const { asked: request, payload } = await world.asked(format)
    const issuedAt = new Date(Date.now() + seconds * 1000)
    const presentation = await present(world.held[format], world.wallet, payload, { issuedAt })
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })

  it.each(FORMATS)('a clock may differ by a minute (%s)', async (format) => {
    const { payload } = await world.asked(format)
    const issuedAt = new Date(Date.now() - 50_000)
    const presentation = await present(world.held[format], world.wallet, payload, { issuedAt })
    expect((await answer(payload, { purchase: [presentation] })).status).toBe(200)
  })
})

describe('a presentation by someone else', () => {
  it('with another key than the one in cnf', async () => {
    const thief = await newWallet()
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const presentation = await present(world.held['dc+sd-jwt'], thief, payload)
    await world.expectRefused(request, payload, { purchase: [presentation] }, `${kb} signature is invalid.`)
  })

  it('with a stolen credential in a VP of the attacker', async () => {
    const thief = await newWallet()
    const { asked: request, payload } = await world.asked('jwt_vc_json')
    const presentation = await present(world.held.jwt_vc_json, thief, payload)
    const sentence = 'Presentation for purchase: Credential is held by another than who signed the presentation.'
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })

  it('with the DID of the holder and a signature by the key of the attacker', async () => {
    const thief = await newWallet()
    const { asked: request, payload } = await world.asked('jwt_vc_json')
    const signer = { ...thief.signer, kid: world.wallet.kid }
    const forged = await present(world.held.jwt_vc_json, { ...world.wallet, signer }, payload)
    await world.expectRefused(request, payload, { purchase: [forged] }, `${vp} signature is invalid.`)
  })

  it('with the holder in iss and a key in the header', async () => {
    const thief = await newWallet()
    const { asked: request, payload } = await world.asked('jwt_vc_json')
    const forged = await signCompact(
      thief.signer,
      { typ: 'JWT', kid: undefined, jwk: thief.publicJwk },
      {
        iss: `urn:holder:${world.wallet.did}`,
        aud: payload.client_id,
        nonce: payload.nonce,
        vp: { type: ['VerifiablePresentation'], verifiableCredential: [world.held.jwt_vc_json.credential] },
      },
    )
    await world.expectRefused(request, payload, { purchase: [forged] }, `${vp} iss is not its holder.`)
  })

  it('without any proof: an SD-JWT VC without key binding, a bare JWT VC', async () => {
    const sdJwt = await world.asked('dc+sd-jwt')
    const bare = presentSdJwtVc(world.held['dc+sd-jwt'].credential, [['product']])
    await world.expectRefused(sdJwt.asked, sdJwt.payload, { purchase: [bare] }, `${vp} has no Key Binding JWT.`)

    const jwtVc = await world.asked('jwt_vc_json')
    const sentence = `${vp} has no vp object of type VerifiablePresentation.`
    await world.expectRefused(jwtVc.asked, jwtVc.payload, { purchase: [world.held.jwt_vc_json.credential] }, sentence)
  })

  it.each(FORMATS)('a credential that is bound to no key is refused (%s)', async (format) => {
    const unbound = await issue(world.service, undefined, format)
    const { asked: request, payload } = await world.asked(format)
    const presentation = await present(unbound, world.wallet, payload)
    const sentence = 'Presentation for purchase: Credential is not bound to a holder key.'
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })
})
