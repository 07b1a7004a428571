import { beforeAll, describe, expect, it } from 'vitest'
import { didJwk } from '../../../server/protocol/did/did-jwk.js'
import { createSigner, generateKeyPair } from '../../../server/protocol/jose/jws.js'
import { issueJwtVc } from '../../../server/protocol/jwt-vc/issue.js'
import { issueSdJwtVc } from '../../../server/protocol/sd-jwt-vc/issue.js'
import {
  answer,
  ask,
  decodeJwt,
  decodeProtectedHeader,
  type Format,
  fetchRequest,
  ITEM,
  present,
  SUBJECT,
  TYPE,
  vct,
} from '../actors.js'
import { FORMATS, useWorld } from '../world.js'

const world = useWorld()

describe('the issuer of a credential', () => {
  async function stranger() {
    const { privateJwk, publicJwk } = await generateKeyPair('ES256')
    const did = didJwk(publicJwk)
    const signer = await createSigner(privateJwk, `${did}#0`)
    const issued = { signer, issuer: did, issuedAt: new Date(Date.now() - 1000) }
    return {
      did,
      sdJwt: () =>
        issueSdJwtVc({
          ...issued,
          vct: vct(world.service),
          claims: SUBJECT,
          selectivelyDisclosable: 'all',
          decoys: 0,
          holderKey: world.wallet.publicJwk,
          randomBytes: world.service.platform.random,
        }),
      jwtVc: async () =>
        (await issueJwtVc({ ...issued, id: 'urn:x', types: [TYPE], claims: SUBJECT, subjectId: world.wallet.did }))
          .compact,
      credential: async (format: Format) => ({
        id: '',
        format,
        credential: format === 'dc+sd-jwt' ? await (await self).sdJwt() : await (await self).jwtVc(),
      }),
    }
  }
  let self: ReturnType<typeof stranger>
  beforeAll(() => {
    self = stranger()
  })

  it.each(FORMATS)('an issuer outside TRUSTED_ISSUERS is refused by name (%s)', async (format) => {
    const { did, credential } = await self
    const { asked: request, payload } = await world.asked(format)
    const presentation = await present(await credential(format), world.wallet, payload)
    await world.expectRefused(
      request,
      payload,
      { purchase: [presentation] },
      `Presentation for purchase: Issuer ${did} is not trusted.`,
    )
  })

  it.each(FORMATS)('unless the request itself trusts it (%s)', async (format) => {
    const { did, credential } = await self
    const { payload } = await world.asked(format, { trustedIssuers: [did] })
    const presentation = await present(await credential(format), world.wallet, payload)
    expect((await answer(payload, { purchase: [presentation] })).json).toEqual({})
  })

  it.each([
    ['const on $.issuer', { path: ['$.issuer'] }, 'const'],
    ['enum on $.iss and $.vc.issuer', { path: ['$.iss', '$.vc.issuer'] }, 'enum'],
  ] as const)('or its own query item names it: %s', async (_, { path }, keyword) => {
    const { did, credential } = await self
    const filter = keyword === 'const' ? { const: did } : { enum: ['did:web:other.example', did] }
    const request = await ask(world.service, {
      query: [{ fields: [...ITEM.fields, { path: [...path], filter }] }],
      responseMode: 'direct_post',
    })
    const payload = await fetchRequest(request)
    const presentation = await present(await credential('dc+sd-jwt'), world.wallet, payload)
    expect((await answer(payload, { 'item-0-sd-jwt': [presentation] })).json).toEqual({})
  })

  it('a pattern does not name an issuer, and an item applies only to its own credential', async () => {
    const { did, credential } = await self
    const byPattern = await ask(world.service, {
      query: [{ fields: [...ITEM.fields, { path: ['$.iss'], filter: { type: 'string', pattern: '^did:jwk:' } }] }],
      responseMode: 'direct_post',
    })
    const payload = await fetchRequest(byPattern)
    const presentation = await present(await credential('dc+sd-jwt'), world.wallet, payload)
    const sentence = `Presentation for item-0-sd-jwt: Issuer ${did} is not trusted.`
    await world.expectRefused(byPattern, payload, { 'item-0-sd-jwt': [presentation] }, sentence)

    const two = await ask(world.service, {
      query: [ITEM, { fields: [...ITEM.fields, { path: ['$.iss'], filter: { const: did } }] }],
      responseMode: 'direct_post',
    })
    const second = await fetchRequest(two)
    const foreign = await present(await credential('dc+sd-jwt'), world.wallet, second)
    await world.expectRefused(two, second, { 'item-0-sd-jwt': [foreign], 'item-1-sd-jwt': [foreign] }, sentence)
  })

  it("a credential that names a trusted issuer but is signed with a stranger's key", async () => {
    const { privateJwk } = await generateKeyPair('ES256')
    const [trusted] = await world.service.platform.stores.dids.issuerDids()
    const { asked: request, payload } = await world.asked('dc+sd-jwt')
    const forged = await issueSdJwtVc({
      signer: await createSigner(
        privateJwk,
        String(decodeProtectedHeader(world.held['dc+sd-jwt'].credential.split('~')[0] ?? '').kid),
      ),
      issuer: String(decodeJwt(world.held['dc+sd-jwt'].credential.split('~')[0] ?? '').iss),
      vct: vct(world.service),
      claims: SUBJECT,
      selectivelyDisclosable: 'all',
      decoys: 0,
      holderKey: world.wallet.publicJwk,
      issuedAt: new Date(),
      randomBytes: world.service.platform.random,
    })
    expect(trusted).toBeDefined()
    const presentation = await present({ id: '', format: 'dc+sd-jwt', credential: forged }, world.wallet, payload)
    await world.expectRefused(
      request,
      payload,
      { purchase: [presentation] },
      'Presentation for purchase: Credential signature is invalid.',
    )
  })
})
