import { mkdtempSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createSigner,
  generateKeyPair,
  type Jwk,
  type Signer,
  signCompact,
  thumbprint,
} from '../../../server/protocol/jose/jws.js'
import { createTokenStatusList } from '../../../server/protocol/status-list/token-status-list.js'
import { makeCertificate, type TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'

export interface Changes {
  readonly header?: Readonly<Record<string, unknown>>
  readonly payload?: Readonly<Record<string, unknown>>
  readonly by?: Signer
}

/** A wallet provider with its signing key, and wallet instances and keys that it attests. */
export interface Provider {
  readonly iss: string
  readonly jwk: Jwk
  readonly signer: Signer
  /** The header members with which the provider's signatures name the key. */
  readonly named: Readonly<Record<string, unknown>>
  /** Makes a wallet attestation (OpenID4VCI 1.0 Appendix E). */
  attest(clientId: string, instance: WalletActor, changes?: Changes): Promise<string>
  /** Makes a key attestation (OpenID4VCI 1.0 Appendix D). */
  attestKeys(keys: readonly Jwk[], nonce: string, changes?: Changes): Promise<string>
  /** Makes the status list of the provider's attestations (Token Status List), for the address `uri`. */
  statusList(uri: string, revoked: readonly number[]): Promise<string>
}

const seconds = () => Math.floor(Date.now() / 1000)

function providerWith(
  iss: string,
  jwk: Jwk,
  signer: Signer,
  named: { readonly kid?: string | undefined; readonly x5c?: readonly string[] },
): Provider {
  return {
    iss,
    jwk,
    signer,
    named,
    attest: (clientId, instance, { header, payload, by } = {}) =>
      signCompact(
        by ?? signer,
        { typ: 'oauth-client-attestation+jwt', ...named, ...header },
        {
          iss,
          sub: clientId,
          wallet_name: 'Pocket',
          exp: seconds() + 3_600,
          cnf: { jwk: instance.publicJwk },
          ...payload,
        },
      ),
    attestKeys: (keys, nonce, { header, payload, by } = {}) =>
      signCompact(
        by ?? signer,
        { typ: 'key-attestation+jwt', ...named, ...header },
        { iss, iat: seconds(), exp: seconds() + 3_600, attested_keys: keys, nonce, ...payload },
      ),
    statusList: (uri, revokedIndices) =>
      createTokenStatusList({
        signer,
        issuer: iss,
        ...(named.x5c === undefined ? { issuerKid: named.kid ?? '' } : { x5c: named.x5c }),
        uri,
        revokedIndices,
        size: 1_024,
        issuedAt: new Date(),
        expiresAt: new Date(Date.now() + 3_600_000),
        ttlSeconds: 60,
      }),
  }
}

/** A provider that the service knows by `iss` and `kid`. */
export async function newProvider(iss = 'https://provider.example'): Promise<Provider> {
  const { privateJwk, publicJwk } = await generateKeyPair('ES256')
  const signer = await createSigner(privateJwk, 'provider-key')
  return providerWith(iss, { ...publicJwk, kid: 'provider-key' }, signer, { kid: 'provider-key' })
}

/** A certification authority of wallet providers. */
export const newProviderRoot = (subject = 'Wallet Provider Root'): TestCertificate =>
  makeCertificate({ subject, ca: true, keyUsage: 0x04 })

/** Makes a provider whose attestations contain its certificate. `x5c` replaces the certificates. */
export async function newCertifiedProvider(
  root: TestCertificate | undefined,
  changes: { readonly x5c?: (leaf: TestCertificate) => readonly string[]; readonly notAfter?: string } = {},
): Promise<Provider> {
  const { x5c = ({ x5c: entry }: TestCertificate) => [entry], notAfter } = changes
  const leaf = makeCertificate({
    subject: 'Wallet Provider',
    keyUsage: 0x80,
    ...(root === undefined ? {} : { issuer: root }),
    ...(notAfter === undefined ? {} : { notAfter }),
  })
  const privateJwk = leaf.privateKey.export({ format: 'jwk' })
  const signer = await createSigner(privateJwk, 'unused')
  return providerWith('https://certified.example', signer.publicJwk, signer, { kid: undefined, x5c: x5c(leaf) })
}

/**
 * Returns the environment of a service that knows some wallets and their providers, and the roots of other providers.
 */
export async function trusting(
  wallets: readonly unknown[],
  roots: readonly TestCertificate[] = [],
): Promise<Record<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'credence-wallets-'))
  const files = { WALLET_CLIENTS: join(directory, 'wallets.json'), WALLET_TRUST_ANCHORS: join(directory, 'roots.pem') }
  await writeFile(files.WALLET_CLIENTS, JSON.stringify(wallets))
  await writeFile(files.WALLET_TRUST_ANCHORS, roots.map(({ certificate }) => certificate.toString()).join('\n'))
  return roots.length === 0 ? { WALLET_CLIENTS: files.WALLET_CLIENTS } : files
}

/** An entry of WALLET_CLIENTS. */
export const knownWallet = (clientId: string, redirectUris: readonly string[], { iss, jwk }: Provider) => ({
  client_id: clientId,
  redirect_uris: redirectUris,
  attestation: { iss, jwks: { keys: [jwk] } },
})

/** Makes the proof that a wallet instance has its key. */
export const popOf = (instance: WalletActor, aud: string, { header, payload, by }: Changes = {}): Promise<string> =>
  signCompact(
    by ?? instance.signer,
    { typ: 'oauth-client-attestation-pop+jwt', kid: undefined, ...header },
    { aud, jti: crypto.randomUUID(), iat: Math.floor(Date.now() / 1000), ...payload },
  )

export { newWallet, thumbprint }
