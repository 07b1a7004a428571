import { randomBytes } from 'node:crypto'
import type { SignatureAlgorithm } from '../../../protocol/jose/algorithms.js'
import type { Jwk } from '../../../protocol/jose/jwk.js'
import { ProviderRefusal, ProviderUnavailable } from '../provider.js'
import type { Attribute, Cryptoki, GcmMechanism, Handle } from './library.js'
import type { FoundKey, Opening } from './messages.js'

// PKCS#11 v3.0, Appendix B, "Manifest constants".
const CKF_RW_SESSION = 0x2
const CKF_SERIAL_SESSION = 0x4
const CKF_OS_LOCKING_OK = 0x2
const CKF_USER_PIN_FINAL_TRY = 0x20000
const CKF_USER_PIN_LOCKED = 0x40000
const CKU_USER = 1
const CKO_PUBLIC_KEY = 2
const CKO_PRIVATE_KEY = 3
const CKO_SECRET_KEY = 4
const CKK_EC = 3
const CKK_AES = 0x1f
const CKK_EC_EDWARDS = 0x40
const CKA_CLASS = 0x0
const CKA_TOKEN = 0x1
const CKA_PRIVATE = 0x2
const CKA_LABEL = 0x3
const CKA_KEY_TYPE = 0x100
const CKA_ID = 0x102
const CKA_SENSITIVE = 0x103
const CKA_ENCRYPT = 0x104
const CKA_DECRYPT = 0x105
const CKA_UNWRAP = 0x107
const CKA_SIGN = 0x108
const CKA_VERIFY = 0x10a
const CKA_VALUE_LEN = 0x161
const CKA_EXTRACTABLE = 0x162
const CKA_EC_PARAMS = 0x180
const CKA_EC_POINT = 0x181
const CKA_ALWAYS_AUTHENTICATE = 0x202
const CKM_EC_KEY_PAIR_GEN = 0x1040
const CKM_ECDSA = 0x1041
const CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055
const CKM_EDDSA = 0x1057
const CKM_AES_GCM = 0x1087

/** The structure CK_GCM_PARAMS of PKCS#11 v2.40, as `pkcs11js` numbers it. */
const GCM_PARAMS = 7

const AES_OCTETS = 32
const NONCE_OCTETS = 12
const TAG_OCTETS = 16
/** Key-encryption keys are AES-256 keys. */
const WRAPPED_OCTETS = NONCE_OCTETS + 32 + TAG_OCTETS

/**
 * Not AES key wrap (CKM_AES_KEY_WRAP): it wraps objects, so the key-encryption key would have to be an object that the token lets go again.
 * Key wrap also has no additional authenticated data. One wrapping key wraps few keys, so random nonces suffice.
 */
const gcm = (iv: Buffer, place: string): GcmMechanism => ({
  mechanism: CKM_AES_GCM,
  parameter: { type: GCM_PARAMS, iv, ivBits: 8 * NONCE_OCTETS, aad: Buffer.from(place), tagBits: 8 * TAG_OCTETS },
})

/** Longest signature: r and s of P-384. */
const MOST_SIGNATURE_OCTETS = 96

interface Curve {
  readonly alg: SignatureAlgorithm
  readonly crv: string
  readonly octets: number
  /** The values of CKA_EC_PARAMS that name the curve: an object identifier, or for Ed25519 also the name. */
  readonly params: readonly string[]
  readonly type: number
  readonly generates: number
  readonly signs: number
}

const EC = { type: CKK_EC, generates: CKM_EC_KEY_PAIR_GEN, signs: CKM_ECDSA } as const

/** The curves of this service (RFC 5480 §2.1.1.1, RFC 8410 §3). */
const CURVES: readonly Curve[] = [
  { alg: 'ES256', crv: 'P-256', octets: 32, params: ['06082a8648ce3d030107'], ...EC },
  { alg: 'ES384', crv: 'P-384', octets: 48, params: ['06052b81040022'], ...EC },
  {
    alg: 'EdDSA',
    crv: 'Ed25519',
    octets: 32,
    params: ['06032b6570', '130c656477617264733235353139'],
    type: CKK_EC_EDWARDS,
    generates: CKM_EC_EDWARDS_KEY_PAIR_GEN,
    signs: CKM_EDDSA,
  },
]

const codeOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The token cannot be used in this process any more: it was removed, or the module lost its state. */
export class TokenBroken extends Error {}

const REFUSES = /^CKR_(PIN_|USER_PIN_NOT_INITIALIZED|KEY_FUNCTION_NOT_PERMITTED|MECHANISM_INVALID)/

/** Turns an error of the module into a refusal, or says that the token is broken. An error of PKCS#11 holds no secret. */
export function faultOf(error: unknown): Error {
  if (error instanceof ProviderRefusal || error instanceof ProviderUnavailable || error instanceof TokenBroken)
    return error
  const code = codeOf(error).split('\n')[0]?.slice(0, 200) ?? ''
  const sentence = `the token answered ${code}.`
  return REFUSES.test(code) ? new ProviderRefusal(sentence) : new TokenBroken(sentence)
}

/** The public point in CKA_EC_POINT. Some modules leave out the OCTET STRING around it (PKCS#11 v2.40 §2.3.3). */
function pointOf(value: Buffer, { crv, octets }: Curve): Buffer | undefined {
  const length = crv === 'Ed25519' ? octets : 1 + 2 * octets
  const point = value.length === length ? value : value.subarray(value.length - length)
  const isWrapped = value.length === length + 2 && value[0] === 4 && value[1] === length
  if (value.length !== length && !isWrapped) return undefined
  return crv === 'Ed25519' || point[0] === 4 ? point : undefined
}

function jwkOf(point: Buffer, { crv, octets }: Curve): Jwk {
  if (crv === 'Ed25519') return { kty: 'OKP', crv, x: point.toString('base64url') }
  const x = point.subarray(1, 1 + octets).toString('base64url')
  return { kty: 'EC', crv, x, y: point.subarray(1 + octets).toString('base64url') }
}

const isTrue = (value: Buffer | undefined): boolean => value !== undefined && value.length > 0 && value[0] === 1

/** CK_ULONG of the platform, little-endian on every platform of Node.js except s390x. */
const numberOf = (value: Buffer | undefined): number | undefined =>
  value === undefined || value.length < 4 ? undefined : value.readUInt32LE(0)

/** The slot whose token has the label or the serial number of the settings. */
function slotOf(cryptoki: Cryptoki, { tokenLabel, tokenSerial }: Opening): Handle {
  const matching = cryptoki.C_GetSlotList(true).filter((slot) => {
    try {
      const { label, serialNumber } = cryptoki.C_GetTokenInfo(slot)
      return tokenLabel === undefined ? serialNumber.trim() === tokenSerial : label.trim() === tokenLabel
    } catch {
      // A token that was removed stays in the list of some modules.
      return false
    }
  })
  const [slot] = matching
  const wanted = tokenLabel === undefined ? `serial number ${tokenSerial}` : `label ${tokenLabel}`
  if (slot === undefined) throw new TokenBroken(`there is no token with the ${wanted}.`)
  if (matching.length > 1) throw new ProviderRefusal(`several tokens have the ${wanted}.`)
  return slot
}

/** Logs in once. A token that would be locked by one more wrong PIN is not tried at all. */
function login(cryptoki: Cryptoki, slot: Handle, session: Handle, pin: string): void {
  const { flags } = cryptoki.C_GetTokenInfo(slot)
  if ((flags & CKF_USER_PIN_LOCKED) !== 0) throw new ProviderRefusal('the PIN of the token is locked.')
  if ((flags & CKF_USER_PIN_FINAL_TRY) !== 0)
    throw new ProviderRefusal('the token allows one last try of its PIN. Log in with another tool first.')
  try {
    cryptoki.C_Login(session, CKU_USER, pin)
  } catch (error) {
    // Another refusal, such as an expired PIN, keeps its code.
    if (/^CKR_PIN_(INCORRECT|INVALID|LEN_RANGE)/.test(codeOf(error)))
      throw new ProviderRefusal('the PIN is wrong. It was tried once.')
    throw error
  }
}

export type Token = ReturnType<typeof openToken>

/** Opens a token: finds its slot, opens the sessions and logs in. One process opens one token once. */
export function openToken(cryptoki: Cryptoki, opening: Opening) {
  cryptoki.load(opening.module)
  cryptoki.C_Initialize({ flags: CKF_OS_LOCKING_OK })
  const slot = slotOf(cryptoki, opening)
  const first = cryptoki.C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION)
  login(cryptoki, slot, first, opening.pin)
  const mechanisms = new Set(cryptoki.C_GetMechanismList(slot))
  const curves = CURVES.filter(({ signs }) => mechanisms.has(signs))
  const free: Handle[] = []
  for (let opened = 0; opened < opening.sessions; opened += 1)
    free.push(cryptoki.C_OpenSession(slot, CKF_SERIAL_SESSION))
  const waiting: ((session: Handle) => void)[] = []
  const handles = new Map<string, Handle>()

  const take = (): Promise<Handle> => {
    const session = free.pop()
    return session === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(session)
  }

  const giveBack = (session: Handle): void => {
    const next = waiting.shift()
    if (next === undefined) free.push(session)
    else next(session)
  }

  /** Objects that match. Two are enough to see that a name is not unique. */
  function search(template: readonly Attribute[]): Handle[] {
    cryptoki.C_FindObjectsInit(first, template)
    try {
      return cryptoki.C_FindObjects(first, 2)
    } finally {
      cryptoki.C_FindObjectsFinal(first)
    }
  }

  /** An attribute; undefined if the object does not have it. */
  function attribute(object: Handle, type: number): Buffer | undefined {
    try {
      return cryptoki.C_GetAttributeValue(first, object, [{ type }])[0]?.value
    } catch (error) {
      if (/^CKR_ATTRIBUTE_(TYPE_INVALID|SENSITIVE)/.test(codeOf(error))) return undefined
      throw error
    }
  }

  /** `id=` and the CKA_ID in hexadecimal digits, or the CKA_LABEL. */
  function namedBy(reference: string): Attribute {
    const id = /^id=((?:[0-9a-f]{2}){1,255})$/.exec(reference)?.[1]
    return id === undefined ? { type: CKA_LABEL, value: reference } : { type: CKA_ID, value: Buffer.from(id, 'hex') }
  }

  function keyOf(objectClass: number, kind: string, reference: string): Handle {
    const found = search([{ type: CKA_CLASS, value: objectClass }, namedBy(reference)])
    const [key] = found
    if (key === undefined) {
      // A token that was taken away may look empty. So the key may exist all the same.
      cryptoki.C_GetTokenInfo(slot)
      throw new ProviderRefusal(`the token has no ${kind} key ${reference}.`)
    }
    if (found.length > 1) throw new ProviderRefusal(`the token has several ${kind} keys ${reference}.`)
    return key
  }

  const privateKeyOf = (reference: string): Handle => keyOf(CKO_PRIVATE_KEY, 'private', reference)

  /** The AES key that wraps. @throws {ProviderRefusal} for a key that this service must not use. */
  function wrappingKeyOf(reference: string): Handle {
    if (!mechanisms.has(CKM_AES_GCM)) throw new ProviderRefusal('the token has no AES-GCM (CKM_AES_GCM).')
    const key = keyOf(CKO_SECRET_KEY, 'secret', reference)
    const refuse = (reason: string) => new ProviderRefusal(`the key ${reference} ${reason}.`)
    if (numberOf(attribute(key, CKA_KEY_TYPE)) !== CKK_AES) throw refuse('is no AES key')
    if (numberOf(attribute(key, CKA_VALUE_LEN)) !== AES_OCTETS) throw refuse('does not have 256 bits')
    if (!isTrue(attribute(key, CKA_ENCRYPT))) throw refuse('must not encrypt (CKA_ENCRYPT)')
    if (!isTrue(attribute(key, CKA_DECRYPT))) throw refuse('must not decrypt (CKA_DECRYPT)')
    if (attribute(key, CKA_EXTRACTABLE)?.[0] !== 0) throw refuse('can be exported (CKA_EXTRACTABLE)')
    if (!isTrue(attribute(key, CKA_SENSITIVE))) throw refuse('can be read (CKA_SENSITIVE)')
    return key
  }

  async function withSession<T>(work: (session: Handle) => Promise<T>): Promise<T> {
    const session = await take()
    try {
      return await work(session)
    } finally {
      giveBack(session)
    }
  }

  /** @throws {ProviderRefusal} for a key that this service must not use. */
  function assertUsable(key: Handle, reference: string): Curve {
    const type = numberOf(attribute(key, CKA_KEY_TYPE))
    const params = attribute(key, CKA_EC_PARAMS)?.toString('hex') ?? ''
    const curve = CURVES.find((known) => known.type === type && known.params.includes(params))
    const refuse = (reason: string) => new ProviderRefusal(`the key ${reference} ${reason}.`)
    if (curve === undefined) throw refuse('is on no supported curve: P-256, P-384 or Ed25519')
    if (!isTrue(attribute(key, CKA_SIGN))) throw refuse('must not sign (CKA_SIGN)')
    if (attribute(key, CKA_EXTRACTABLE)?.[0] !== 0) throw refuse('can be exported (CKA_EXTRACTABLE)')
    if (!isTrue(attribute(key, CKA_SENSITIVE))) throw refuse('can be read (CKA_SENSITIVE)')
    if (isTrue(attribute(key, CKA_ALWAYS_AUTHENTICATE)))
      throw refuse('asks for the PIN before each signature (CKA_ALWAYS_AUTHENTICATE)')
    return curve
  }

  function find(reference: string): FoundKey {
    const key = privateKeyOf(reference)
    const curve = assertUsable(key, reference)
    const id = attribute(key, CKA_ID)
    if (id === undefined || id.length === 0) throw new ProviderRefusal(`the key ${reference} has no CKA_ID.`)
    const [publicKey] = search([
      { type: CKA_CLASS, value: CKO_PUBLIC_KEY },
      { type: CKA_ID, value: id },
    ])
    const value = publicKey === undefined ? undefined : attribute(publicKey, CKA_EC_POINT)
    const point = value === undefined ? undefined : pointOf(value, curve)
    if (point === undefined)
      throw new ProviderRefusal(`the token has no public key with the CKA_ID of the key ${reference}.`)
    return { reference: `id=${id.toString('hex')}`, alg: curve.alg, publicJwk: jwkOf(point, curve) }
  }

  return {
    algorithms: curves.filter(({ generates }) => mechanisms.has(generates)).map(({ alg }) => alg),

    find,

    /** Makes a key pair inside the token. The private key can be neither read nor exported. */
    generate(label: string, alg: SignatureAlgorithm): FoundKey {
      const curve = curves.find((known) => known.alg === alg && mechanisms.has(known.generates))
      if (curve === undefined) throw new ProviderRefusal(`the token makes no keys for ${alg}.`)
      const id = randomBytes(16)
      const common = [
        { type: CKA_TOKEN, value: true },
        { type: CKA_ID, value: id },
        { type: CKA_LABEL, value: label },
      ]
      cryptoki.C_GenerateKeyPair(
        first,
        { mechanism: curve.generates, parameter: null },
        [
          ...common,
          { type: CKA_PRIVATE, value: false },
          { type: CKA_VERIFY, value: true },
          { type: CKA_EC_PARAMS, value: Buffer.from(curve.params[0] ?? '', 'hex') },
        ],
        [
          ...common,
          { type: CKA_PRIVATE, value: true },
          { type: CKA_SENSITIVE, value: true },
          { type: CKA_EXTRACTABLE, value: false },
          { type: CKA_SIGN, value: true },
          // A module may allow more by default, such as to bring other keys into the token.
          { type: CKA_DECRYPT, value: false },
          { type: CKA_UNWRAP, value: false },
        ],
      )
      return find(`id=${id.toString('hex')}`)
    },

    /** Signs a hash (ECDSA) or the data (EdDSA). The result is in JOSE form, which is the form of PKCS#11 too. */
    async sign(reference: string, alg: SignatureAlgorithm, data: Uint8Array): Promise<Uint8Array> {
      const curve = curves.find((known) => known.alg === alg)
      if (curve === undefined) throw new ProviderRefusal(`the token does not sign ${alg}.`)
      const known = handles.get(reference)
      const key = known ?? privateKeyOf(reference)
      // A key is checked once: the token does not let anybody make a key readable.
      if (known === undefined) assertUsable(key, reference)
      handles.set(reference, key)
      const session = await take()
      try {
        cryptoki.C_SignInit(session, { mechanism: curve.signs, parameter: null }, key)
        return await cryptoki.C_SignAsync(session, Buffer.from(data), Buffer.alloc(MOST_SIGNATURE_OCTETS))
      } catch (error) {
        handles.delete(reference)
        throw error
      } finally {
        giveBack(session)
      }
    },

    /** Wraps a key with AES-GCM. @returns nonce, ciphertext and tag */
    wrap(reference: string, key: Uint8Array, place: string): Promise<Uint8Array> {
      const wrapping = wrappingKeyOf(reference)
      const nonce = randomBytes(NONCE_OCTETS)
      return withSession(async (session) => {
        cryptoki.C_EncryptInit(session, gcm(nonce, place), wrapping)
        const encrypted = await cryptoki.C_EncryptAsync(session, Buffer.from(key), Buffer.alloc(2 * WRAPPED_OCTETS))
        return Buffer.concat([nonce, encrypted])
      })
    },

    /** @throws {ProviderRefusal} if the wrapped key was altered, or was wrapped for another place or by another key. */
    unwrap(reference: string, wrapped: Uint8Array, place: string): Promise<Uint8Array> {
      if (wrapped.length !== WRAPPED_OCTETS) throw new ProviderRefusal('the wrapped key has a wrong length.')
      const wrapping = wrappingKeyOf(reference)
      const octets = Buffer.from(wrapped)
      return withSession(async (session) => {
        try {
          cryptoki.C_DecryptInit(session, gcm(octets.subarray(0, NONCE_OCTETS), place), wrapping)
          const text = octets.subarray(NONCE_OCTETS)
          return await cryptoki.C_DecryptAsync(session, text, Buffer.alloc(2 * WRAPPED_OCTETS))
        } catch (error) {
          // SoftHSM answers CKR_GENERAL_ERROR for a wrong tag. If the token still works, the wrapped key is wrong.
          if (!/^CKR_(ENCRYPTED_DATA_|GENERAL_ERROR|FUNCTION_FAILED|DATA_INVALID|AEAD_)/.test(codeOf(error)))
            throw error
          wrappingKeyOf(reference)
          throw new ProviderRefusal(
            `the key ${reference} does not unwrap the key: the wrapped key was altered, or another key wrapped it.`,
          )
        }
      })
    },

    /** Asks for the token, and reads an attribute of an object if there is one. */
    check(): null {
      cryptoki.C_GetTokenInfo(slot)
      search([{ type: CKA_CLASS, value: CKO_PRIVATE_KEY }])
      return null
    },
  }
}
