import { expect, it } from 'vitest'
import type { Attribute, Cryptoki, Handle } from '../../../server/keys/providers/pkcs11/library.js'
import { faultOf, openToken } from '../../../server/keys/providers/pkcs11/token.js'

const FINAL_TRY = 0x20000
const LOCKED = 0x40000
const ECDSA = 0x1041

const handle = (number: number): Handle => Buffer.from([number])

/** A module with one token. No software token counts wrong PINs, so this double does. */
function moduleWith({
  flags = 0,
  login = () => {},
  privateKeys = 0,
}: {
  readonly flags?: number
  readonly login?: () => void
  readonly privateKeys?: number
}) {
  let logins = 0
  const missing = () => {
    throw new Error('The test does not need this function.')
  }
  const cryptoki: Cryptoki = {
    load: () => {},
    C_Initialize: () => {},
    C_GetSlotList: () => [handle(1)],
    C_GetTokenInfo: () => ({ label: 'credence', serialNumber: '1', flags }),
    C_GetMechanismList: () => [ECDSA],
    C_OpenSession: () => handle(2),
    C_CloseSession: () => {},
    C_Login: () => {
      logins += 1
      login()
    },
    C_FindObjectsInit: (_session, _template: readonly Attribute[]) => {},
    C_FindObjects: () => Array.from({ length: privateKeys }, (_, number) => handle(3 + number)),
    C_FindObjectsFinal: () => {},
    C_GetAttributeValue: missing,
    C_GenerateKeyPair: missing,
    C_SignInit: missing,
    C_SignAsync: missing,
    C_EncryptInit: missing,
    C_EncryptAsync: missing,
    C_DecryptInit: missing,
    C_DecryptAsync: missing,
  }
  const open = () =>
    openToken(cryptoki, { module: 'm.so', tokenLabel: 'credence', tokenSerial: undefined, sessions: 1, pin: '1' })
  return { open, logins: () => logins }
}

/** The fault that the process of the token reports. */
const fault = (open: () => unknown) => {
  try {
    open()
  } catch (error) {
    const { name, message } = faultOf(error)
    return { name, message }
  }
  return undefined
}

it.each([
  ['allows one last try', FINAL_TRY, 'the token allows one last try of its PIN. Log in with another tool first.'],
  ['is locked', LOCKED, 'the PIN of the token is locked.'],
])('a token that %s gets no PIN at all', (_state, flags, message) => {
  const { open, logins } = moduleWith({ flags })
  expect(fault(open)).toEqual({ name: 'ProviderRefusal', message })
  expect(logins()).toBe(0)
})

it.each([
  ['CKR_PIN_INCORRECT', 'the PIN is wrong. It was tried once.'],
  ['CKR_PIN_LOCKED', 'the token answered CKR_PIN_LOCKED.'],
  ['CKR_PIN_EXPIRED', 'the token answered CKR_PIN_EXPIRED.'],
])('a token that answers %s gets one PIN, and the refusal is final', (code, message) => {
  const { open, logins } = moduleWith({
    login: () => {
      throw new Error(code)
    },
  })
  expect(fault(open)).toEqual({ name: 'ProviderRefusal', message })
  expect(logins()).toBe(1)
})

it('a name that several keys have is refused, also for a signature', async () => {
  const token = moduleWith({ privateKeys: 2 }).open()
  const message = 'the token has several private keys issuer-1.'
  expect(fault(() => token.find('issuer-1'))).toEqual({ name: 'ProviderRefusal', message })
  await expect(token.sign('issuer-1', 'ES256', new Uint8Array(32))).rejects.toThrow(message)
})
