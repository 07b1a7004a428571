import { DeviceResponse, Document, MDoc } from '@auth0/mdl'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSigner, generateKeyPair } from '../../../server/protocol/jose/jws.js'
import { decodeCbor, sourceOf } from '../../../server/protocol/mdoc/cbor/decode.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { TAG_ENCODED_CBOR, Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import { at } from '../../protocol/mdoc/tampering.js'
import { answer, ask, sessionOf } from '../actors.js'
import { askBrowser, postFrom, SHOP } from '../browser.js'
import { DOCTYPE, LICENCE, licence, NAMESPACE, useMdocVerifier } from '../mdoc.js'
import { answerInBrowserWithDocument, answerWithDocument, type HeldDocument } from '../mdoc-library-wallet.js'

const world = useMdocVerifier()

const DAY = 86_400_000

/** Two documents of the same holder: one is made by @auth0/mdl, an independent library, and one by this service. */
const held = {} as Record<'ours' | 'auth0', HeldDocument>
let document: MDoc

beforeAll(async () => {
  const { privateJwk: devicePrivate } = await generateKeyPair('ES256')
  const holder = await createSigner(devicePrivate, 'holder')
  const signed = await new Document(DOCTYPE)
    .addIssuerNameSpace(NAMESPACE, { family_name: 'Möbius', given_name: 'Ada', birth_date: '1990-12-24' })
    .useDigestAlgorithm('SHA-256')
    .addValidityInfo({ signed: new Date(), validUntil: new Date(Date.now() + DAY) })
    .addDeviceKeyInfo({ deviceKey: holder.publicJwk })
    .sign({
      issuerPrivateKey: { ...world.issuer.privateKey.export({ format: 'jwk' }), kid: 'issuer' },
      issuerCertificate: world.issuer.certificate.toString(),
      alg: 'ES256',
    })
  document = new MDoc([signed])
  const root = decodeCbor(document.encode(), { what: 'Test' })
  const issuerSigned = Buffer.from(sourceOf(at(root, 'documents', 0, 'issuerSigned')) ?? '').toString('base64url')
  held.auth0 = { issuerSigned, devicePrivate }
  held.ours = { issuerSigned: await licence(world.issuer, holder), devicePrivate }
})

/** The expected result of a session. */
const RESULT = [
  {
    credentialQueryId: 'licence',
    format: 'mso_mdoc',
    issuer: 'https://issuer.example',
    type: [DOCTYPE],
    claims: { [NAMESPACE]: { family_name: 'Möbius', birth_date: '1990-12-24' } },
    intentToRetain: { [NAMESPACE]: { family_name: true } },
  },
]

const dcqlQuery = { credentials: [LICENCE] }

describe('@openid4vc/openid4vp with @owf/mdoc, the libraries of Credo, as the wallet', () => {
  const redirects = ['direct_post', 'direct_post.jwt'].flatMap((responseMode) =>
    (['ours', 'auth0'] as const).map((made) => ({ responseMode, made })),
  )
  it.each(redirects)('presents by redirect: $responseMode, document of $made', async ({ responseMode, made }) => {
    const asked = await ask(world.service, { responseMode, dcqlQuery })
    const answered = await answerWithDocument(asked.authorizationRequestUri, held[made])
    expect([answered.status, await sessionOf(world.service, asked)]).toMatchObject([200, { state: 'ResponseVerified' }])
    expect((await world.resultOf(asked)).credentials).toEqual(RESULT)
  })

  const inBrowser = ['dc_api', 'dc_api.jwt'].flatMap((responseMode) =>
    [false, true].map((signed) => ({ responseMode, signed })),
  )
  it.each(inBrowser)('presents behind a browser: $responseMode, signed: $signed', async (members) => {
    const expectedOrigins = ['https://other.example', SHOP]
    const asked = await askBrowser(world.service, { ...members, expectedOrigins, dcqlQuery })
    const credential = await answerInBrowserWithDocument(asked.digitalCredentialRequest, held.ours, SHOP)
    const reply = await postFrom(SHOP, asked, credential)
    expect([reply.status, await sessionOf(world.service, asked)]).toMatchObject([200, { state: 'ResponseVerified' }])
    expect((await world.resultOf(asked)).credentials).toEqual(RESULT)
  })
})

it('@auth0/mdl presents a document that it has made itself', async () => {
  const { asked, payload } = await world.asked()
  const presentation = await DeviceResponse.from(document)
    .usingPresentationDefinition({
      id: 'one',
      input_descriptors: [
        {
          id: DOCTYPE,
          format: { mso_mdoc: { alg: ['ES256'] } },
          constraints: {
            limit_disclosure: 'required',
            fields: ['family_name', 'birth_date'].map((element) => ({
              path: [`$['${NAMESPACE}']['${element}']`],
              intent_to_retain: false,
            })),
          },
        },
      ],
    })
    .usingSessionTranscriptBytes(Buffer.from(encodeCbor(new Tagged(TAG_ENCODED_CBOR, world.redirect(payload)))))
    .authenticateWithSignature({ ...held.auth0.devicePrivate, kid: 'device' }, 'ES256')
    .sign()
  const shown = Buffer.from(presentation.encode()).toString('base64url')
  const reply = await answer(payload, { licence: [shown] })
  expect([reply.status, (await world.resultOf(asked)).credentials]).toEqual([200, RESULT])
})
