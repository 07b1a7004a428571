import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFiles, intermediate, leafOf, root as verifierRoot } from '../../agent/certified.js'
import { startService, type TestService } from '../../support/service.js'
import { dcql, type Held, ITEM, makeWorld, sessionOf } from '../actors.js'
import { askBrowser, postFrom, SHOP } from '../browser.js'
import { anchorFiles, MEMBERSHIP, makeLeaf, makeRoot, membership } from '../certified.js'
import { answerInBrowserWithLibrary } from '../library-browser-wallet.js'
import { FORMATS } from '../world.js'

const root = makeRoot()

let files: Awaited<ReturnType<typeof certificateFiles>>
let anchors: Awaited<ReturnType<typeof anchorFiles>>
let service: TestService
let world: Awaited<ReturnType<typeof makeWorld>>
let card: Held

beforeAll(async () => {
  files = await certificateFiles()
  anchors = await anchorFiles()
  const leaf = leafOf({ subject: 'Shop', dns: ['127.0.0.1'] })
  service = await startService({
    env: {
      VERIFIER_X509: await files.fileOf([leaf, intermediate, verifierRoot]),
      TRUST_ANCHORS: await anchors.write('roots', root),
    },
  })
  world = await makeWorld(service)
  card = { id: '', format: 'dc+sd-jwt', credential: await membership(makeLeaf(root), world.wallet) }
})
afterAll(async () => {
  await service.close()
  await anchors[Symbol.asyncDispose]()
  await files.remove()
})

const SIGNED = {
  unsigned: { members: { signed: false }, prefix: 'origin' },
  x509_hash: { members: {}, prefix: 'x509_hash' },
  x509_san_dns: { members: { clientIdPrefix: 'x509_san_dns' }, prefix: 'x509_san_dns' },
  decentralized_identifier: {
    members: { clientIdPrefix: 'decentralized_identifier' },
    prefix: 'decentralized_identifier',
  },
}
const MEMBERSHIPS = { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [MEMBERSHIP] } }] }

/** Makes a whole exchange. @returns the request as the wallet read it, and the result. */
async function exchange(body: Record<string, unknown>, held: readonly Held[]) {
  const request = await askBrowser(service, body)
  const answer = await answerInBrowserWithLibrary(world.wallet, request.digitalCredentialRequest, held, SHOP)
  const reply = await postFrom(SHOP, request, answer.credential)
  expect([reply.status, reply.json, (await sessionOf(service, request)).errorMessage]).toEqual([200, {}, undefined])
  const path = `/verification-sessions/${request.verificationSessionId}/result`
  const { json: result } = await service.request('GET', path, { authorization: await service.bearer('verifier') })
  return { ...answer, result }
}

describe('@openid4vc/openid4vp as the wallet behind a browser (OpenID4VP 1.0 Appendix A)', () => {
  it.each(
    Object.entries(SIGNED).flatMap(([name, { members, prefix }]) =>
      ['dc_api', 'dc_api.jwt'].flatMap((responseMode) =>
        FORMATS.map((format) => ({ name, responseMode, format, members, prefix })),
      ),
    ),
  )('answers a request: $name, $responseMode, $format', async ({ members, prefix, responseMode, format }) => {
    const dcqlQuery = dcql(service, format)
    const { client, version, result } = await exchange({ ...members, responseMode, dcqlQuery }, [world.held[format]])
    expect([client.prefix, version]).toEqual([prefix, 100])
    expect(result.credentials).toMatchObject([{ format, claims: { product: 'Espresso machine' } }])
  })

  it.each([
    ['unsigned', { signed: false }, 'origin'],
    ['x509_hash', {}, 'x509_hash'],
  ])('answers a request of profile haip (HAIP 1.0 §5.2): %s', async (_, members, prefix) => {
    const body = { ...members, profile: 'haip', responseMode: 'dc_api.jwt', dcqlQuery: MEMBERSHIPS }
    const { client, result } = await exchange(body, [card])
    expect(client.prefix).toBe(prefix)
    expect(result.credentials).toMatchObject([{ credentialQueryId: 'club', claims: { level: 'gold' } }])
  })

  it('answers VP query items with both formats at once', async () => {
    const { result } = await exchange({ query: [ITEM], responseMode: 'dc_api.jwt' }, [world.held['dc+sd-jwt']])
    expect(result.credentials).toMatchObject([{ queryItem: 0, claims: { product: 'Espresso machine' } }])
  })

  it('authorizes transaction data', async () => {
    const { result } = await exchange(
      {
        dcqlQuery: dcql(service, 'dc+sd-jwt'),
        responseMode: 'dc_api.jwt',
        transactionData: [{ type: 'urn:example:payment', credential_ids: ['purchase'], amount: '12.00 EUR' }],
      },
      [world.held['dc+sd-jwt']],
    )
    expect(result.credentials).toMatchObject([{ credentialQueryId: 'purchase', transactionData: [0] }])
  })

  it.each(['https://evil.example', `${SHOP}.evil.example`])(
    'refuses a signed request that a page of %s replays (expected_origins)',
    async (origin) => {
      const { digitalCredentialRequest: request } = await askBrowser(service, {
        dcqlQuery: dcql(service, 'dc+sd-jwt'),
        responseMode: 'dc_api.jwt',
      })
      await expect(
        answerInBrowserWithLibrary(world.wallet, request, [world.held['dc+sd-jwt']], origin),
      ).rejects.toThrow('expected_origins')
    },
  )

  it('answers a page that replays an unsigned request, and the service does not accept the answer', async () => {
    const request = await askBrowser(service, {
      dcqlQuery: dcql(service, 'dc+sd-jwt'),
      responseMode: 'dc_api.jwt',
      signed: false,
    })
    const { credential } = await answerInBrowserWithLibrary(
      world.wallet,
      request.digitalCredentialRequest,
      [world.held['dc+sd-jwt']],
      'https://evil.example',
    )
    const reply = await postFrom(SHOP, request, credential)
    expect([reply.status, reply.json.error_description]).toEqual([
      400,
      'Presentation for purchase: Key Binding JWT aud is not this verifier.',
    ])
  })
})
