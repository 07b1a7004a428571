import { createHash, generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { certificateFiles, certify } from './certificate-files.js'
import { signJws } from './wallet.js'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
const seconds = (): number => Math.floor(Date.now() / 1000)

const CLIENT = 'https://wallet.example'
const REDIRECT_URI = 'https://wallet.example/callback'

/** Makes the files for ISSUER_X509 and WALLET_TRUST_ANCHORS, and a wallet provider that the issuer trusts. */
export function haipSetup() {
  const { fileOf, remove } = certificateFiles()
  const root = certify({ subject: 'Root', ca: true, keyUsage: 0x04 })
  const leaf = certify({ subject: 'Issuer', issuer: root, keyUsage: 0x80, dns: ['127.0.0.1'] })
  const walletRoot = certify({ subject: 'Wallet root', ca: true, keyUsage: 0x04 })
  const provider = certify({ subject: 'Wallet provider', issuer: walletRoot, keyUsage: 0x80 })
  return {
    env: {
      ISSUER_PROFILE: 'haip',
      ISSUER_X509: fileOf('issuer.pem', leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }), leaf.certificate),
      WALLET_TRUST_ANCHORS: fileOf('wallets.pem', walletRoot.certificate),
    },
    remove,
    newWallet: () => newHaipWallet(provider.privateKey, [provider.x5c]),
  }
}

export type HaipWallet = ReturnType<typeof newHaipWallet>

/** A wallet under HAIP 1.0: an attested instance with separate keys for tokens and credentials. */
function newHaipWallet(provider: KeyObject, x5c: readonly string[]) {
  const newKey = () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return { privateKey, jwk: publicKey.export({ format: 'jwk' }) }
  }
  const [instance, token, holder] = [newKey(), newKey(), newKey()]
  const attestation = signJws(
    provider,
    { typ: 'oauth-client-attestation+jwt', x5c },
    { sub: CLIENT, exp: seconds() + 86_400, cnf: { jwk: instance.jwk } },
  )
  const dpop = (url: string, accessToken?: string): string =>
    signJws(
      token.privateKey,
      { typ: 'dpop+jwt', jwk: token.jwk },
      {
        jti: randomUUID(),
        htm: 'POST',
        htu: url,
        iat: seconds(),
        ...(accessToken === undefined ? {} : { ath: sha256(accessToken) }),
      },
    )
  return {
    /** Headers of a request to PAR or token endpoint. */
    authenticated: (issuer: string, path: string, challenge: string) => ({
      dpop: dpop(`${issuer}${path}`),
      'oauth-client-attestation': attestation,
      'oauth-client-attestation-pop': signJws(
        instance.privateKey,
        { typ: 'oauth-client-attestation-pop+jwt' },
        { aud: issuer, jti: randomUUID(), iat: seconds(), challenge },
      ),
    }),
    /** Headers of a request with an access token. */
    authorized: (issuer: string, path: string, accessToken: string) => ({
      authorization: `DPoP ${accessToken}`,
      dpop: dpop(`${issuer}${path}`, accessToken),
    }),
    proof: (issuer: string, nonce: string): string =>
      signJws(
        holder.privateKey,
        { typ: 'openid4vci-proof+jwt', jwk: holder.jwk },
        { aud: issuer, iat: seconds(), nonce },
      ),
    /**
     * Makes an authorization request, and the PKCE verifier with which the wallet later proves that it sent the
     * request.
     */
    request: (scope: string, issuerState: string) => {
      const verifier = randomBytes(32).toString('base64url')
      return {
        verifier,
        form: {
          client_id: CLIENT,
          redirect_uri: REDIRECT_URI,
          response_type: 'code',
          scope,
          issuer_state: issuerState,
          code_challenge: sha256(verifier),
          code_challenge_method: 'S256',
        },
      }
    },
  }
}
