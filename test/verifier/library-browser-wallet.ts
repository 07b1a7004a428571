import { X509Certificate } from 'node:crypto'
import { Openid4vpClient } from '@openid4vc/openid4vp'
import { compactVerify, importX509 } from 'jose'
import { subjectAlternativeNames } from '../../server/protocol/issuer-keys/subject-alternative-name.js'
import type { WalletActor } from '../support/wallet-actor.js'
import type { Held } from './actors.js'
import type { BrowserRequest } from './browser.js'
import { answerTo, callbacks } from './library-wallet.js'

const pemOf = (certificate: string) => new X509Certificate(Buffer.from(certificate, 'base64')).toString()

/** Accepts every certificate. Other tests check that the chain leads to a known root. */
export const certified = {
  ...callbacks,
  verifyJwt: async (...[signer, jwt]: Parameters<typeof callbacks.verifyJwt>) => {
    if (signer.method !== 'x5c') return callbacks.verifyJwt(signer, jwt)
    const key = await importX509(pemOf(signer.x5c[0] ?? ''), signer.alg)
    await compactVerify(jwt.compact, key)
    return { verified: true as const, signerJwk: key as never }
  },
  getX509CertificateMetadata: (certificate: string) => {
    const { dns, uri } = subjectAlternativeNames(new X509Certificate(Buffer.from(certificate, 'base64')))
    return { sanDnsNames: [...dns], sanUriNames: [...uri] }
  },
}

/**
 * Answers a request of a browser, like an independent wallet: with `@openid4vc/openid4vp` for the exchange, like
 * `answerWithLibrary`. It checks expected origins. It does not support requests with several signatures.
 *
 * @returns the `DigitalCredential` for the page, and the request as the wallet read it.
 */
export async function answerInBrowserWithLibrary(
  wallet: WalletActor,
  request: BrowserRequest,
  held: readonly Held[],
  origin: string,
) {
  const client = new Openid4vpClient({ callbacks: certified })
  const { params } = client.parseOpenid4vpAuthorizationRequest({
    authorizationRequest: request.data as never,
  })
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: params as never,
    wallet: { metadata: { vp_formats_supported: {} } },
    origin,
  } as never)
  const { response } = await answerTo(client, wallet, resolved, held, origin)
  const { state: _, ...answer } = response.authorizationResponsePayload
  const data = response.jarm === undefined ? answer : { response: response.jarm.responseJwt }
  return { credential: { protocol: request.protocol, data }, client: resolved.client, version: resolved.version }
}
