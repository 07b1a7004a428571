import { beforeAll, describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'
import { issueSdJwtVc, type SdJwtVcInput } from '../../../server/protocol/sd-jwt-vc/issue.js'
import {
  createKeyBinding,
  type VerifyKeyBindingOptions,
  verifyKeyBinding,
} from '../../../server/protocol/sd-jwt-vc/key-binding.js'
import { verifySdJwtVc } from '../../../server/protocol/sd-jwt-vc/verify.js'
import { type Actor, actor, countingBytes, decode, later, NOW, NOW_SECONDS, sha256, tampered, VCT } from './actors.js'

const NONCE = 'n-0S6_WzA2Mj'
const AUDIENCE = 'decentralized_identifier:did:example:verifier'

let issuer: Actor
let holder: Actor
let thief: Actor
let credential: string
let presentation: string

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
  holder = await actor('did:example:holder')
  thief = await actor('did:example:thief')
  credential = await issue({ holderKey: holder.publicJwk })
  presentation = await bind()
})

const issue = (options: Partial<SdJwtVcInput>) =>
  issueSdJwtVc({
    signer: issuer.signer,
    issuer: issuer.id,
    vct: VCT,
    claims: { product: 'Lamp', price: 3 },
    selectivelyDisclosable: 'all',
    issuedAt: NOW,
    randomBytes: countingBytes(),
    ...options,
  })

const bind = (sdJwt = credential, by = holder, claims: JsonObject = {}) =>
  createKeyBinding({ signer: by.signer, sdJwt, nonce: NONCE, audience: AUDIENCE, issuedAt: NOW, claims })

async function verify(text: string, options: Partial<VerifyKeyBindingOptions> = {}) {
  const verified = await verifySdJwtVc(text, { resolveIssuerKey: issuer.resolveIssuerKey, now: NOW })
  return verifyKeyBinding(verified, { nonce: NONCE, audience: AUDIENCE, now: NOW, notBefore: NOW, ...options })
}

/** Returns the credential with a KB-JWT. The holder's key signs the KB-JWT, but one of its members is wrong. */
async function forge(claims: JsonObject, header: JsonObject = { typ: 'kb+jwt' }): Promise<string> {
  const right = { iat: NOW_SECONDS, aud: AUDIENCE, nonce: NONCE, sd_hash: sha256(credential) }
  return credential + (await holder.sign(header, { ...right, ...claims }))
}

const refusal = (message: string) => expect.objectContaining({ name: 'CredentialError', message })

describe('A Key Binding JWT (RFC 9901 §4.3)', () => {
  it('binds exactly nonce, audience, time and the presented disclosures', async () => {
    const jwt = presentation.slice(credential.length)
    expect(presentation.startsWith(credential)).toBe(true)
    expect(decode(jwt)).toEqual({
      header: { alg: 'ES256', typ: 'kb+jwt' },
      payload: { iat: NOW_SECONDS, aud: AUDIENCE, nonce: NONCE, sd_hash: sha256(credential) },
    })
  })

  it('may have further claims, such as transaction data hashes, which cannot replace its own claims', async () => {
    const text = await bind(credential, holder, { transaction_data_hashes: ['abc'], nonce: 'other', sd_hash: 'other' })
    const { payload } = await verify(text)
    expect(payload).toMatchObject({ transaction_data_hashes: ['abc'], nonce: NONCE })
  })

  it('is not added to a presentation that already has one', async () => {
    await expect(bind(presentation)).rejects.toThrow(refusal('Credential has a Key Binding JWT already.'))
    await expect(bind('a.b.c')).rejects.toThrow(refusal('Credential is not an SD-JWT: it has no ~.'))
  })
})

describe('Verifying key binding (RFC 9901 §7.3, step 5)', () => {
  it('returns the holder key and the claims', async () => {
    const { holderKey, payload, header } = await verify(presentation)
    expect(holderKey).toMatchObject({ kty: 'EC', x: holder.publicJwk.x })
    expect(payload.nonce).toBe(NONCE)
    expect(header.typ).toBe('kb+jwt')
  })

  it('accepts one of several audiences', async () => {
    await expect(verify(presentation, { audience: ['origin:https://v.example', AUDIENCE] })).resolves.toHaveProperty(
      'payload',
    )
  })

  it('resolves the key of a cnf.kid, and refuses the presentation if the key is unknown', async () => {
    const text = await bind(await issue({ holderKey: { kid: 'did:example:holder#0' } }))
    const asked: string[] = []
    const resolveHolderKey = async (kid: string) => {
      asked.push(kid)
      return holder.publicJwk
    }
    await expect(verify(text, { resolveHolderKey })).resolves.toHaveProperty('holderKey', holder.publicJwk)
    expect(asked).toEqual(['did:example:holder#0'])
    await expect(verify(text)).rejects.toThrow(refusal('Credential cnf names no key that can be resolved.'))
  })

  it('refuses a presentation without key binding, and of a credential that is bound to no key', async () => {
    await expect(verify(credential)).rejects.toThrow(refusal('Presentation has no Key Binding JWT.'))
    await expect(verify(await bind(await issue({})))).rejects.toThrow(
      refusal('Credential is not bound to a holder key.'),
    )
  })

  it('refuses any other key (step 5.3)', async () => {
    await expect(verify(await bind(credential, thief))).rejects.toThrow(
      refusal('Key Binding JWT signature is invalid.'),
    )
  })

  it.each(['none', 'HS256'])('refuses alg %s (step 5.2)', async (alg) => {
    const jwt = tampered(presentation.slice(credential.length), 0, { alg })
    await expect(verify(credential + jwt)).rejects.toThrow(
      refusal(`Key Binding JWT signature cannot be verified: Signature algorithm ${alg} is not allowed.`),
    )
  })

  it.each([undefined, 'JWT', 'openid4vci-proof+jwt', 'dc+sd-jwt'])('refuses typ %s (step 5.4)', async (typ) => {
    await expect(verify(await forge({}, { typ }))).rejects.toThrow(refusal('Key Binding JWT typ is not kb+jwt.'))
  })

  it('refuses a value that is not a JWT', async () => {
    await expect(verify(`${credential}x.y`)).rejects.toThrow(
      refusal('Key Binding JWT is not a well-formed JWT: A JWT consists of three segments separated by dots.'),
    )
  })

  it('demands an iat between the request and now, with a leeway of 60 seconds (step 5.5)', async () => {
    const at = async (iat: unknown) => verify(await forge({ iat }))
    await expect(at(NOW_SECONDS - 60)).resolves.toHaveProperty('payload')
    await expect(at(NOW_SECONDS + 60)).resolves.toHaveProperty('payload')
    await expect(at(NOW_SECONDS - 61)).rejects.toThrow(refusal('Key Binding JWT is older than its request.'))
    await expect(at(NOW_SECONDS + 61)).rejects.toThrow(
      refusal('Key Binding JWT is not valid yet: iat lies in the future.'),
    )
    await expect(at(undefined)).rejects.toThrow(refusal('Key Binding JWT has no iat.'))
    await expect(at('now')).rejects.toThrow(refusal('Key Binding JWT claim iat is not a number.'))
  })

  it('checks exp and nbf if they exist (step 5.8)', async () => {
    await expect(verify(await forge({ exp: NOW_SECONDS - 59 }))).resolves.toHaveProperty('payload')
    await expect(verify(await forge({ exp: NOW_SECONDS - 60 }))).rejects.toThrow(
      refusal('Key Binding JWT has expired.'),
    )
    await expect(verify(await forge({ nbf: NOW_SECONDS + 61 }))).rejects.toThrow(CredentialError)
    await expect(verify(presentation, { now: later(-61), notBefore: later(-61) })).rejects.toThrow(CredentialError)
  })

  it.each(['other', undefined, [NONCE]])('refuses nonce %j (step 5.6)', async (nonce) => {
    await expect(verify(await forge({ nonce }))).rejects.toThrow(
      refusal('Key Binding JWT nonce is not that of the request.'),
    )
  })

  it.each(['did:example:verifier', undefined, [AUDIENCE]])('refuses aud %j (step 5.6, §4.3)', async (aud) => {
    await expect(verify(await forge({ aud }))).rejects.toThrow(refusal('Key Binding JWT aud is not this verifier.'))
  })

  it('refuses a presentation with a disclosure removed after signing, or with an sd_hash of another algorithm (step 5.7)', async () => {
    const message = 'Key Binding JWT sd_hash is not that of the presented credential.'
    const [jwt, first, , kb] = presentation.split('~')
    await expect(verify([jwt, first, kb].join('~'))).rejects.toThrow(refusal(message))
    await expect(verify(await forge({ sd_hash: undefined }))).rejects.toThrow(refusal(message))
    await expect(verify(await forge({ sd_hash: sha256(credential.slice(0, -1)) }))).rejects.toThrow(refusal(message))
  })

  it.each([[{ jwk: { kty: 'oct', k: 'AAAA' } }], [{ jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }]])(
    'refuses cnf %j, which is not a public key of a supported type',
    async (cnf) => {
      const jwt = await issuer.sign({ typ: 'dc+sd-jwt' }, { vct: VCT, cnf })
      await expect(verify(await bind(`${jwt}~`))).rejects.toThrow(
        refusal('Credential cnf.jwk is no public key of a supported type.'),
      )
    },
  )
})
