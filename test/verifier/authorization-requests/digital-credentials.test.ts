import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFiles, intermediate, leafOf, root } from '../../agent/certified.js'
import { startService, type TestService } from '../../support/service.js'
import { SHOP } from '../browser.js'
import { anchorFiles, MEMBERSHIP, makeRoot } from '../certified.js'

const DCQL = { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [MEMBERSHIP] } }] }

let files: Awaited<ReturnType<typeof certificateFiles>>
let anchors: Awaited<ReturnType<typeof anchorFiles>>
let service: TestService
let secure: TestService

beforeAll(async () => {
  files = await certificateFiles()
  anchors = await anchorFiles()
  const env = {
    VERIFIER_X509: await files.fileOf([leafOf({ subject: 'Shop', dns: ['127.0.0.1'] }), intermediate, root]),
    TRUST_ANCHORS: await anchors.write('roots', makeRoot()),
  }
  service = await startService({ env })
  const https = { ISSUER_BASE_URL: 'https://credence.example', VERIFIER_BASE_URL: 'https://credence.example' }
  secure = await startService({ env: { ...https, ALLOW_INSECURE_HTTP: '' } })
})
afterAll(async () => {
  await service.close()
  await secure.close()
  await files.remove()
  await anchors[Symbol.asyncDispose]()
})

async function made(members: Record<string, unknown>, by = service) {
  const reply = await by.request('POST', '/authorization-requests', {
    authorization: await by.bearer('verifier'),
    body: { dcqlQuery: DCQL, responseMode: 'dc_api', expectedOrigins: [SHOP], ...members },
  })
  return reply.status === 201 ? reply.json.digitalCredentialRequest.protocol : [reply.status, reply.json.message]
}

const other = 'where responseMode is not dc_api or dc_api.jwt'

describe('allowed and refused combinations of members over the Digital Credentials API', () => {
  it.each([
    [{ expectedOrigins: undefined }, 'expectedOrigins must be given where responseMode is dc_api'],
    [{ redirectUri: 'https://shop.example/done' }, 'redirectUri must be left out where responseMode is dc_api'],
    [{ walletUrl: 'https://wallet.example' }, 'walletUrl must be left out where responseMode is dc_api'],
    [{ requireResponseCode: true }, 'requireResponseCode must be false or left out where redirectUri is left out'],
    [{ signed: false, clientIdPrefix: 'x509_hash' }, 'clientIdPrefix must be left out where signed is false'],
    [{ clientIdPrefix: 'redirect_uri' }, 'clientIdPrefix must not be redirect_uri where responseMode is dc_api'],
    [
      { clientIdPrefix: ['x509_hash', 'redirect_uri'] },
      'clientIdPrefix must not be redirect_uri where responseMode is dc_api',
    ],
    [{ responseMode: 'direct_post' }, `expectedOrigins must be left out ${other}`],
    [{ responseMode: undefined }, `expectedOrigins must be left out ${other}`],
    [{ responseMode: 'direct_post', expectedOrigins: undefined, signed: true }, `signed must be left out ${other}`],
    [
      { responseMode: 'direct_post', expectedOrigins: undefined, clientIdPrefix: ['x509_hash', 'x509_san_dns'] },
      `clientIdPrefix must be a single prefix ${other}`,
    ],
  ])('%j', async (members, message) => {
    expect(await made(members)).toEqual([400, [message]])
  })

  it.each([[['x509_hash']], [['x509_hash', 'x509_hash']], [[]], [['x509_hash', 'nobody']]])(
    'several client identifiers are at least two, each known and different: %j',
    async (clientIdPrefix) => {
      const [status, messages] = await made({ clientIdPrefix })
      expect([status, messages[0]]).toEqual([400, expect.stringMatching(/^clientIdPrefix/)])
    },
  )

  it('each client identifier needs its settings', async () => {
    const prefixes = ['x509_hash', 'verifier_attestation']
    expect(await made({ clientIdPrefix: prefixes })).toEqual([
      400,
      ["clientIdPrefix verifier_attestation needs an attestation of the verifier's key"],
    ])
    expect(await made({ clientIdPrefix: ['decentralized_identifier', 'x509_hash'] }, secure)).toEqual([
      400,
      ['clientIdPrefix x509_hash needs a certificate of the verifier'],
    ])
  })
})

describe('expectedOrigins', () => {
  it.each([
    'https://shop.example/',
    'https://shop.example/pay',
    'https://SHOP.example',
    'https://shop.example:443',
    'https://user@shop.example',
    'https://shop.example?a',
    'https://shöp.example',
    'https://shop.example;',
    'shop.example',
    'null',
    '*',
    '',
    ' ',
    'android:',
    'android:apk key',
    'android:apk-key-hash:a\tb',
    'shop.example:8443',
    'localhost:3000',
    'https:shop.example',
    'http:/shop.example',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://shop.example/x',
  ])('have the form of browsers: not %j', async (origin) => {
    expect(await made({ expectedOrigins: [SHOP, origin] })).toEqual([
      400,
      ['expectedOrigins.1 must be an origin as browsers write it, such as https://shop.example'],
    ])
  })

  // OpenID4VP 1.0 §2: "a platform-specific URI for the app origin".
  it.each([
    'android:apk-key-hash:Z4OFzVVSZrzTRa3eg79hUuHy12MVW0vzPDf4q4zaPs0',
    'android:apk-key-hash-sha256:Z4OFzVVSZrzTRa3eg79hUuHy12MVW0vzPDf4q4zaPs0',
    'ios:bundle-id:com.example.shop',
    'platform:pkg-key-hash:Z4OF+VVS/rz=',
    'capacitor://localhost',
  ])('may be the origin of an app, %s, also if plain http is not allowed', async (origin) => {
    expect(await made({ expectedOrigins: [origin] })).toBe('openid4vp-v1-signed')
    expect(await made({ expectedOrigins: [SHOP, origin], signed: true }, secure)).toBe('openid4vp-v1-signed')
    const tooLong = await made({ expectedOrigins: [origin.padEnd(301, 'x')] })
    expect(tooLong[0]).toBe(400)
  })

  it.each(['https://shop.example:8443', 'https://xn--shp-tna.example', 'https://[2001:db8::1]:8443'])(
    'may be %s',
    async (origin) => {
      expect(await made({ expectedOrigins: [origin] })).toBe('openid4vp-v1-signed')
    },
  )

  it('must use https unless plain http is allowed', async () => {
    const expectedOrigins = ['https://shop.example', 'http://localhost:5173']
    expect(await made({ expectedOrigins })).toBe('openid4vp-v1-signed')
    expect(await made({ expectedOrigins }, secure)).toEqual([400, ['expectedOrigins.1 must be an origin of https']])
  })

  it('must be 1 to 16', async () => {
    const origins = (count: number) => Array.from({ length: count }, (_, at) => `https://shop${at}.example`)
    expect(await made({ expectedOrigins: origins(16) })).toBe('openid4vp-v1-signed')
    for (const count of [0, 17]) {
      const [status, messages] = await made({ expectedOrigins: origins(count) })
      expect([status, messages[0]]).toEqual([400, expect.stringMatching(/^expectedOrigins /)])
    }
  })
})

describe('profile haip (HAIP 1.0 §5.2)', () => {
  const haip = { profile: 'haip', responseMode: 'dc_api.jwt' }

  it('accepts only encrypted answers, and needs no redirectUri', async () => {
    expect(await made(haip)).toBe('openid4vp-v1-signed')
    expect(await made({ ...haip, responseMode: 'dc_api' })).toEqual([
      400,
      ['responseMode must be direct_post.jwt or dc_api.jwt with profile haip'],
    ])
  })

  it('is unsigned, or signed under x509_hash, alone or with other identifiers', async () => {
    expect(await made({ ...haip, signed: false })).toBe('openid4vp-v1-unsigned')
    const clientIdPrefix = ['decentralized_identifier', 'x509_hash']
    expect(await made({ ...haip, clientIdPrefix })).toBe('openid4vp-v1-multisigned')
    for (const prefix of ['decentralized_identifier', ['decentralized_identifier', 'x509_san_dns']]) {
      expect(await made({ ...haip, clientIdPrefix: prefix })).toEqual([
        400,
        ['clientIdPrefix must be x509_hash with profile haip'],
      ])
    }
  })

  it('needs no certificate of a verifier that does not sign', async () => {
    const env = { TRUST_ANCHORS: await anchors.write('more', makeRoot()) }
    await using plain = await startService({ env })
    expect(await made(haip, plain)).toBe('openid4vp-v1-unsigned')
    expect(await made({ ...haip, signed: true }, plain)).toEqual([
      400,
      ['the verifier must have a certificate for a P-256 key with profile haip'],
    ])
  })
})
