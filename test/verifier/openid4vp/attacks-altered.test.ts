import { createHmac } from 'node:crypto'
import { describe, it } from 'vitest'
import { createVpJwt } from '../../../server/protocol/jwt-vc/presentation.js'
import { createKeyBinding } from '../../../server/protocol/sd-jwt-vc/key-binding.js'
import { presentSdJwtVc } from '../../../server/protocol/sd-jwt-vc/present.js'
import { decodeJwt, decodeProtectedHeader, present, type RequestPayload } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()
const kb = 'Presentation for purchase: Key Binding JWT'
const vp = 'Presentation for purchase: Presentation'

describe('altered answers', () => {
  async function altered(change: (sdJwt: string) => string) {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const sdJwt = change(presentSdJwtVc(world.held['dc+sd-jwt'].credential, [['product']]))
    const { client_id: audience, nonce } = payload
    const presentation = await createKeyBinding({
      signer: world.wallet.signer,
      sdJwt,
      nonce,
      audience,
      issuedAt: new Date(),
    })
    return { request, payload, presentation }
  }
  const disclosure = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

  it('a disclosure that the issuer never made', async () => {
    const { request, payload, presentation } = await altered(
      (sdJwt) => `${sdJwt}${disclosure(['salt', 'admin', true])}~`,
    )
    const sentence = 'Presentation for purchase: Credential brings a disclosure whose digest it does not hold.'
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })

  it('a disclosure with another value', async () => {
    const { request, payload, presentation } = await altered((sdJwt) => {
      const [jwt, original = ''] = sdJwt.split('~')
      const [salt, name] = JSON.parse(Buffer.from(original, 'base64url').toString())
      return `${jwt}~${disclosure([salt, name, 'Yacht'])}~`
    })
    const sentence = 'Presentation for purchase: Credential brings a disclosure whose digest it does not hold.'
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })

  it('a disclosure that is removed after the holder has signed: sd_hash', async () => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const disclose = [['product'], ['price']]
    const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload, { disclose })
    const parts = presentation.split('~')
    const without = [...parts.slice(0, 1), ...parts.slice(2)].join('~')
    await world.expectRefused(
      request,
      payload,
      { purchase: [without] },
      `${kb} sd_hash is not that of the presented credential.`,
    )
  })

  it.each(['none', 'HS256'])('a credential signed with %s', async (alg) => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const [jwt = '', ...rest] = presentSdJwtVc(world.held['dc+sd-jwt'].credential, [['product']]).split('~')
    const header = { ...decodeProtectedHeader(jwt), alg }
    const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${jwt.split('.')[1]}`
    const key = JSON.stringify((await world.service.platform.stores.dids.issuerDids())[0]?.keys[0]?.publicJwk)
    const signature = alg === 'none' ? '' : createHmac('sha256', key).update(input).digest('base64url')
    const presentation = await createKeyBinding({
      signer: world.wallet.signer,
      sdJwt: [`${input}.${signature}`, ...rest].join('~'),
      nonce: payload.nonce,
      audience: payload.client_id,
      issuedAt: new Date(),
    })
    const sentence = `Presentation for purchase: Credential signature cannot be verified: Signature algorithm ${alg} is not allowed.`
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })

  it.each(['none', 'HS256'])('a VP signed with %s', async (alg) => {
    const { asked: request, payload } = await world.asked('jwt_vc_json')
    const [, body] = (await present(world.held.jwt_vc_json, world.wallet, payload)).split('.')
    const header = Buffer.from(JSON.stringify({ alg, typ: 'JWT', kid: world.wallet.kid })).toString('base64url')
    const key = JSON.stringify(world.wallet.publicJwk)
    const signature = alg === 'none' ? '' : createHmac('sha256', key).update(`${header}.${body}`).digest('base64url')
    const sentence = `${vp} signature cannot be verified: Signature algorithm ${alg} is not allowed.`
    await world.expectRefused(request, payload, { purchase: [`${header}.${body}.${signature}`] }, sentence)
  })

  /**
   * Makes a JWT with the same payload and a different algorithm: unsigned, or with the public key as the secret of a
   * MAC.
   */
  function forged(jwt: string, alg: string, publicJwk: unknown): string {
    const header = { ...decodeProtectedHeader(jwt), alg }
    const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${jwt.split('.')[1]}`
    const key = JSON.stringify(publicJwk)
    return `${input}.${alg === 'none' ? '' : createHmac('sha256', key).update(input).digest('base64url')}`
  }

  it.each(['none', 'HS256'])('a Key Binding JWT signed with %s', async (alg) => {
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const parts = (await present(world.held['dc+sd-jwt'], world.wallet, payload)).split('~')
    parts.push(forged(parts.pop() ?? '', alg, world.wallet.publicJwk))
    const sentence = `${kb} signature cannot be verified: Signature algorithm ${alg} is not allowed.`
    await world.expectRefused(request, payload, { purchase: [parts.join('~')] }, sentence)
  })

  it.each(['none', 'HS256'])('a credential signed with %s within a VP', async (alg) => {
    const { asked: request, payload } = await world.asked('jwt_vc_json')
    const issuerKey = (await world.service.platform.stores.dids.issuerDids())[0]?.keys[0]?.publicJwk
    const credential = forged(world.held.jwt_vc_json.credential, alg, issuerKey)
    const presentation = await present({ ...world.held.jwt_vc_json, credential }, world.wallet, payload)
    const sentence = `Presentation for purchase: Credential signature cannot be verified: Signature algorithm ${alg} is not allowed.`
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })
})

describe('another JWT of the issuer or verifier offered as a credential', () => {
  async function lists() {
    const jwt = world.held['dc+sd-jwt'].credential.split('~')[0] ?? ''
    const { status } = decodeJwt(jwt) as { status: { status_list: { uri: string } } }
    const token = await (await fetch(status.status_list.uri)).text()
    const bitstring = await (await fetch(status.status_list.uri.replace('token-status-lists', 'status-lists'))).text()
    return { token, bitstring }
  }

  it('a token status list as SD-JWT VC', async () => {
    const { token } = await lists()
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const presentation = await createKeyBinding({
      signer: world.wallet.signer,
      sdJwt: `${token}~`,
      nonce: payload.nonce,
      audience: payload.client_id,
      issuedAt: new Date(),
    })
    const sentence = 'Presentation for purchase: Credential typ is neither dc+sd-jwt nor vc+sd-jwt.'
    await world.expectRefused(request, payload, { purchase: [presentation] }, sentence)
  })

  it('a bitstring status list, and a request object, as JWT VC', async () => {
    const { bitstring } = await lists()
    const first = await world.asked('jwt_vc_json')
    const inVp = (payload: RequestPayload, credential: string) =>
      createVpJwt({
        signer: world.wallet.signer,
        holder: world.wallet.did,
        credentials: [credential],
        nonce: payload.nonce,
        audience: payload.client_id,
        issuedAt: new Date(),
      })
    const refusal = 'Presentation for purchase: Credential has no vc object.'
    await world.expectRefused(first.asked, first.payload, { purchase: [await inVp(first.payload, bitstring)] }, refusal)

    const second = await world.asked('jwt_vc_json')
    const requestObject = await (await fetch(second.asked.request_uri)).text()
    const typ = 'Presentation for purchase: Credential typ is neither JWT nor vc+jwt.'
    await world.expectRefused(
      second.asked,
      second.payload,
      { purchase: [await inVp(second.payload, requestObject)] },
      typ,
    )
  })

  it('a credential as the VP around itself', async () => {
    const { asked: request, payload } = await world.asked('jwt_vc_json')
    const sentence = `${vp} has no vp object of type VerifiablePresentation.`
    await world.expectRefused(request, payload, { purchase: [world.held.jwt_vc_json.credential] }, sentence)
  })
})
