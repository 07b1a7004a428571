import { beforeAll, describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import { IssuerKeyError } from '../../../server/protocol/issuer-keys/issuer-key-error.js'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'
import { issueSdJwtVc } from '../../../server/protocol/sd-jwt-vc/issue.js'
import { verifySdJwtVc } from '../../../server/protocol/sd-jwt-vc/verify.js'
import { createTokenStatusList } from '../../../server/protocol/status-list/token-status-list.js'
import {
  type Actor,
  actor,
  countingBytes,
  disclosure,
  later,
  NOW,
  NOW_SECONDS,
  sha256,
  tampered,
  VCT,
} from './actors.js'

let issuer: Actor
let stranger: Actor
let compact: string

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
  stranger = await actor('did:example:stranger')
  compact = await issueSdJwtVc({
    signer: issuer.signer,
    issuer: issuer.id,
    vct: VCT,
    claims: { product: 'Lamp', address: { city: 'Turin' } },
    selectivelyDisclosable: ['product', 'address', 'address.city'],
    holderKey: issuer.publicJwk,
    status: { uri: 'https://issuer.example/list', idx: 3 },
    issuedAt: NOW,
    expiresAt: later(3600),
    randomBytes: countingBytes(),
  })
})

const verify = (text: string, now = NOW, by = issuer) =>
  verifySdJwtVc(text, { resolveIssuerKey: by.resolveIssuerKey, now })

/** Signs arbitrary content with the issuer's own key. */
const forge = async (payload: JsonObject, header: JsonObject = { typ: 'dc+sd-jwt' }, ...disclosures: string[]) =>
  `${[await issuer.sign(header, { iss: issuer.id, vct: VCT, ...payload }), ...disclosures].join('~')}~`

const refusal = (message: string) => expect.objectContaining({ name: 'CredentialError', message })

describe('Verifying an SD-JWT VC', () => {
  it('returns the signed body, the merged claims and further data for the caller', async () => {
    const verified = await verify(compact)
    expect(verified.issuer).toBe('did:example:issuer')
    expect(verified.issuerKey).toEqual({
      issuer: 'did:example:issuer',
      jwk: issuer.publicJwk,
      kid: 'did:example:issuer#0',
    })
    expect(verified.vct).toBe(VCT)
    expect(verified.status).toEqual({ uri: 'https://issuer.example/list', idx: 3 })
    expect(verified.cnf).toHaveProperty('jwk')
    expect(verified.payload._sd).toHaveLength(2)
    expect(verified.payload).not.toHaveProperty('product')
    const { cnf, status, ...claims } = verified.prettyClaims
    expect(claims).toEqual({
      iss: issuer.id,
      vct: VCT,
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 3600,
      product: 'Lamp',
      address: { city: 'Turin' },
    })
    expect(verified.disclosures.map(({ path, value }) => [path.join('.'), value])).toEqual(
      expect.arrayContaining([
        ['product', 'Lamp'],
        ['address', { city: 'Turin' }],
        ['address.city', 'Turin'],
      ]),
    )
    expect(verified.keyBindingJwt).toBeUndefined()
    expect(verified.sdJwtWithoutKb).toBe(compact)
  })

  it('omits claims whose disclosures were withheld', async () => {
    const { prettyClaims } = await verify(`${compact.split('~')[0]}~`)
    expect(prettyClaims).not.toHaveProperty('product')
    expect(prettyClaims).not.toHaveProperty('_sd')
    expect(prettyClaims).not.toHaveProperty('_sd_alg')
  })

  it('returns a Key Binding JWT without verifying it', async () => {
    const verified = await verify(`${compact}a.b.c`)
    expect(verified.keyBindingJwt).toBe('a.b.c')
    expect(verified.sdJwtWithoutKb).toBe(compact)
  })

  it.each(['dc+sd-jwt', 'vc+sd-jwt', 'application/dc+sd-jwt', 'DC+SD-JWT'])('takes typ %s', async (typ) => {
    await expect(verify(await forge({}, { typ }))).resolves.toHaveProperty('vct', VCT)
  })

  describe('form', () => {
    it.each([
      ['a~', 'Credential is not a well-formed JWT: A JWT consists of three segments separated by dots.'],
      ['~', 'Credential is not a well-formed JWT: A JWT consists of three segments separated by dots.'],
      ['a.b.c', 'Credential is not an SD-JWT: it has no ~.'],
      ['a!.e30.c2ln~', 'Credential is not a well-formed JWT: The JWT header is not base64url.'],
      ['e30.bm8.c2ln~', 'Credential is not a well-formed JWT: The JWT payload is not JSON.'],
    ])('refuses %s', async (text, message) => {
      await expect(verify(text)).rejects.toThrow(refusal(message))
    })

    it('refuses too many disclosures', async () => {
      await expect(verify(`${compact}${'AA~'.repeat(2001)}`)).rejects.toThrow(
        'Credential has more than 2000 disclosures.',
      )
    })
  })

  describe('type (SD-JWT VC, "JOSE Header", RFC 8725 §3.11)', () => {
    it.each([undefined, 'JWT', 'vc+jwt', 'kb+jwt', 'statuslist+jwt', 'oauth-authz-req+jwt', 'sd-jwt'])(
      'refuses typ %s',
      async (typ) => {
        const message = 'Credential typ is neither dc+sd-jwt nor vc+sd-jwt.'
        await expect(forge({}, { typ }).then((text) => verify(text))).rejects.toThrow(refusal(message))
      },
    )

    it('refuses a status list of the same key that is offered as a credential', async () => {
      const list = await createTokenStatusList({
        signer: issuer.signer,
        issuer: issuer.id,
        uri: 'https://issuer.example/list',
        revokedIndices: [],
        size: 131_072,
        issuedAt: NOW,
        expiresAt: later(60),
        ttlSeconds: 60,
      })
      await expect(verify(`${list}~`)).rejects.toThrow('Credential typ is neither dc+sd-jwt nor vc+sd-jwt.')
    })

    it.each([undefined, '', 7, ['a']])('refuses vct %j (SD-JWT VC, "vct Claim")', async (vct) => {
      await expect(forge({ vct }).then((text) => verify(text))).rejects.toThrow(
        /^Credential (has no vct|claim vct is not a string)\.$/,
      )
    })
  })

  describe('signature', () => {
    it('refuses another key, and a body or header that was changed', async () => {
      const message = 'Credential signature is invalid.'
      await expect(verify(compact, NOW, stranger)).rejects.toThrow(refusal(message))
      await expect(verify(tampered(compact, 1, { exp: NOW_SECONDS + 7200 }))).rejects.toThrow(refusal(message))
      await expect(verify(tampered(compact, 0, { typ: 'vc+sd-jwt' }))).rejects.toThrow(refusal(message))
    })

    it.each(['none', 'HS256', 'ES512'])('refuses alg %s (RFC 9901 §7.1, step 2.1)', async (alg) => {
      const message = `Credential signature cannot be verified: Signature algorithm ${alg} is not allowed.`
      await expect(verify(tampered(compact, 0, { alg }))).rejects.toThrow(refusal(message))
    })

    it('refuses a body without signature', async () => {
      const [header, payload] = (compact.split('~')[0] ?? '').split('.')
      await expect(verify(`${header}.${payload}.~`)).rejects.toThrow(CredentialError)
    })

    it('names the reason why the issuer key is not available, and returns other faults unchanged', async () => {
      const unknown = async () => Promise.reject(new IssuerKeyError('The kid is no assertionMethod of the issuer.'))
      await expect(verifySdJwtVc(compact, { resolveIssuerKey: unknown, now: NOW })).rejects.toThrow(
        refusal('Credential issuer key could not be resolved: The kid is no assertionMethod of the issuer.'),
      )
      const fault = new TypeError('database is away')
      const broken = async () => Promise.reject(fault)
      await expect(verifySdJwtVc(compact, { resolveIssuerKey: broken, now: NOW })).rejects.toBe(fault)
    })

    it('resolves the key once, by header and body', async () => {
      const asked: unknown[] = []
      const resolveIssuerKey = async (header: JsonObject, payload: JsonObject) => {
        asked.push([header.kid, payload.iss])
        return { jwk: issuer.publicJwk, issuer: issuer.id }
      }
      await verifySdJwtVc(compact, { resolveIssuerKey, now: NOW })
      expect(asked).toEqual([['did:example:issuer#0', 'did:example:issuer']])
    })
  })

  describe('times (RFC 9901 §7.1, step 6)', () => {
    it('a credential is expired exactly from the second of exp, without leeway', async () => {
      await expect(verify(compact, later(3599.999))).resolves.toHaveProperty('issuer')
      await expect(verify(compact, later(3600))).rejects.toThrow(refusal('Credential has expired.'))
    })

    it.each(['nbf', 'iat'])('gives %s a leeway of 60 seconds', async (name) => {
      const text = await forge({ [name]: NOW_SECONDS + 60 })
      await expect(verify(text)).resolves.toHaveProperty('issuer')
      await expect(verify(text, later(-1))).rejects.toThrow(
        refusal(`Credential is not valid yet: ${name} lies in the future.`),
      )
    })

    it.each(['exp', 'nbf', 'iat'])('refuses %s that is not a number', async (name) => {
      await expect(verify(await forge({ [name]: '1772366400' }))).rejects.toThrow(
        refusal(`Credential claim ${name} is not a number.`),
      )
      await expect(verify(await forge({ [name]: null }))).rejects.toThrow(
        refusal(`Credential claim ${name} is not a number.`),
      )
    })

    it('refuses an infinite exp', async () => {
      const encode = (json: string) => Buffer.from(json).toString('base64url')
      const input = `${encode('{"alg":"ES256","typ":"dc+sd-jwt"}')}.${encode(`{"vct":"${VCT}","exp":1e999}`)}`
      const signature = Buffer.from(await issuer.signer.sign(Buffer.from(input))).toString('base64url')
      await expect(verify(`${input}.${signature}~`)).rejects.toThrow(refusal('Credential claim exp is not a number.'))
    })

    it('checks a disclosed iat too', async () => {
      const future = disclosure('salt', 'iat', NOW_SECONDS + 3600)
      await expect(verify(await forge({ _sd: [sha256(future)] }, undefined, future))).rejects.toThrow(
        refusal('Credential is not valid yet: iat lies in the future.'),
      )
    })
  })

  describe('registered claims', () => {
    it.each(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status'])(
      'refuses a disclosure of %s (SD-JWT VC, "Registered JWT Claims")',
      async (name) => {
        const hidden = disclosure('salt', name, { any: 'thing' })
        const jwt = await issuer.sign(
          { typ: 'dc+sd-jwt' },
          { vct: name === 'vct' ? undefined : VCT, _sd: [sha256(hidden)] },
        )
        const message =
          name === 'vct'
            ? 'Credential has no vct.'
            : `Credential discloses the claim ${name}, which must not be selectively disclosable.`
        await expect(verify(`${jwt}~${hidden}~`)).rejects.toThrow(refusal(message))
      },
    )

    it('refuses a disclosure inside a registered claim, such as another holder key in cnf', async () => {
      const key = disclosure('salt', 'jwk', stranger.publicJwk)
      await expect(verify(await forge({ cnf: { kid: 'x', _sd: [sha256(key)] } }, undefined, key))).rejects.toThrow(
        refusal('Credential discloses the claim cnf, which must not be selectively disclosable.'),
      )
    })

    it.each([
      [{ status: 'revoked' }],
      [{ status: {} }],
      [{ status: { status_list: { uri: 'https://issuer.example/list', idx: -1 } } }],
      [{ status: { status_list: { uri: 'https://issuer.example/list', idx: '3' } } }],
      [{ status: { status_list: { idx: 3 } } }],
    ])('refuses a status that cannot be checked: %j (Token Status List §6.2)', async (payload) => {
      await expect(verify(await forge(payload))).rejects.toThrow(
        refusal('Credential status holds no status_list with uri and idx.'),
      )
    })

    it('refuses cnf and iss of the wrong type', async () => {
      await expect(verify(await forge({ cnf: 'key' }))).rejects.toThrow(
        refusal('Credential claim cnf is not an object.'),
      )
      await expect(verify(await forge({ iss: ['a'] }))).rejects.toThrow(
        refusal('Credential claim iss is not a string.'),
      )
    })
  })
})
