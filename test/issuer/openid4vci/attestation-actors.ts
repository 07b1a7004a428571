import {
  createSigner,
  generateKeyPair,
  type Jwk,
  type Signer,
  signCompact,
  thumbprint,
} from '../../../server/protocol/jose/jws.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'

export interface Changes {
  readonly header?: Readonly<Record<string, unknown>>
  readonly payload?: Readonly<Record<string, unknown>>
  readonly by?: Signer
}

/** A wallet provider with its signing key, and wallet instances that it attests. */
export interface Provider {
  readonly iss: string
  readonly jwk: Jwk
  attest(clientId: string, instance: WalletActor, changes?: Changes): Promise<string>
}

export async function newProvider(iss = 'https://provider.example'): Promise<Provider> {
  const { privateJwk, publicJwk } = await generateKeyPair('ES256')
  const signer = await createSigner(privateJwk, 'provider-key')
  return {
    iss,
    jwk: { ...publicJwk, kid: 'provider-key' },
    attest: (clientId, instance, { header, payload, by } = {}) =>
      signCompact(
        by ?? signer,
        { typ: 'oauth-client-attestation+jwt', kid: 'provider-key', ...header },
        {
          iss,
          sub: clientId,
          wallet_name: 'Pocket',
          exp: Math.floor(Date.now() / 1000) + 3_600,
          cnf: { jwk: instance.publicJwk },
          ...payload,
        },
      ),
  }
}

/** The proof that an instance holds its key. */
export const popOf = (instance: WalletActor, aud: string, { header, payload, by }: Changes = {}): Promise<string> =>
  signCompact(
    by ?? instance.signer,
    { typ: 'oauth-client-attestation-pop+jwt', kid: undefined, ...header },
    { aud, jti: crypto.randomUUID(), iat: Math.floor(Date.now() / 1000), ...payload },
  )

export { newWallet, thumbprint }
