import type { CallbackContext, JweEncryptor } from '@openid4vc/oauth2'
import { CompactEncrypt, importJWK } from 'jose'
import { ownJwk } from '../exchange/libraries.js'
import { WalletError } from '../exchange/wallet-error.js'

/** OpenID4VP 1.0 §8.3: encrypts to the verifier's key and repeats its `kid`. */
async function encryptJwe({ publicJwk, alg, enc, apu, apv }: JweEncryptor, data: string) {
  const key = await importJWK(ownJwk(publicJwk), alg)
  const jwe = await new CompactEncrypt(new TextEncoder().encode(data))
    .setProtectedHeader({ alg, enc, ...(publicJwk.kid === undefined ? {} : { kid: publicJwk.kid }) })
    .setKeyManagementParameters({
      ...(apu === undefined ? {} : { apu: new Uint8Array(Buffer.from(apu, 'base64url')) }),
      ...(apv === undefined ? {} : { apv: new Uint8Array(Buffer.from(apv, 'base64url')) }),
    })
    .encrypt(key)
  return { encryptionJwk: publicJwk, jwe }
}

type PresentationCallbacks = Pick<CallbackContext, 'encryptJwe' | 'signJwt'> & {
  readonly fetch: typeof globalThis.fetch
}

/** Callbacks of the presentation library. The library makes and sends answers, which are encrypted and never signed. */
export const presentationCallbacks = (fetch: typeof globalThis.fetch): PresentationCallbacks => ({
  fetch,
  signJwt: async () => {
    throw new WalletError('The wallet holds no key that the exchange asks for.')
  },
  encryptJwe,
})
