import { hash } from 'node:crypto'
import { type Registration, registrationMembers, signRegistration } from '../../../scripts/trust-demo/registration.js'
import { SHOP } from '../../../scripts/trust-demo/world.js'
import { type RemoteIssuer, startRemoteIssuer } from '../../support/remote-issuer.js'
import { type RemoteRequestOptions, type RemoteVerifier, startRemoteVerifier } from '../../support/remote-verifier.js'
import { type PublishedWorld, type ServiceInWorld, startInWorld } from '../../support/trust-world.js'
import { type HostedWallet, newWallet } from '../../support/wallet.js'
import type { RemoteKey } from '../../support/wallet-callbacks.js'

/** A hosted wallet with a diploma, and a verifier of another installation with certificates of the world. */
export interface RegistrationWorld extends ServiceInWorld {
  readonly wallet: HostedWallet
  readonly verifier: RemoteVerifier
  readonly issuer: RemoteIssuer
  /** The shop, which may ask for the degree of a diploma. */
  readonly shop: Registration
  /** A registration certificate of the shop. @param members replace claims of the certificate */
  certificate(members?: Readonly<Record<string, unknown>>): Promise<string>
  /** The address of a request of the shop for claims of the diploma. */
  request(claims: readonly string[], info: unknown, more?: RemoteRequestOptions): Promise<string>
  /** Starts a flow with a request. */
  flow(uri: string): Promise<Awaited<ReturnType<HostedWallet['get']>>>
  confirm(started: unknown): Promise<Awaited<ReturnType<HostedWallet['get']>>>
}

/** The key of an access certificate, for signatures. */
const keyOf = ({ verifier: { jwk } }: PublishedWorld, key: RemoteKey): RemoteKey => ({ ...key, privateJwk: jwk })

export async function startRegistrationWorld(env: Readonly<Record<string, string>> = {}): Promise<RegistrationWorld> {
  const started = await startInWorld(() => env)
  const { service, world } = started
  const verifier = await startRemoteVerifier()
  const issuer = await startRemoteIssuer()
  const wallet = await newWallet(service)
  const taken = await wallet.process(await issuer.offer())
  // With `required`, the wallet takes nothing from an issuer without a registration certificate.
  const expected = env.WALLET_REGISTRATION === 'required' ? 500 : 200
  if (taken.status !== expected) throw new Error(taken.text)
  const meta = { vct_values: [`${issuer.url}/vct/diploma`] }
  const shop: Registration = {
    ...SHOP,
    asks: {
      purpose: 'To check your degree.',
      credentials: [{ format: 'dc+sd-jwt', meta, claim: [{ path: ['degree'] }] }],
    },
  }
  const x5c = world.verifier.jwk.x5c ?? []
  const clientId = `x509_hash:${hash('sha256', Buffer.from(x5c[0] ?? '', 'base64'), 'base64url')}`
  return {
    ...started,
    wallet,
    verifier,
    issuer,
    shop,
    certificate: (members = {}) =>
      signRegistration({ ...registrationMembers(shop, world.registrar, 7), ...members }, world.registrar),
    request: (claims, info, more = {}) =>
      verifier.request(
        {
          credentials: [{ id: 'diploma', format: 'dc+sd-jwt', meta, claims: claims.map((name) => ({ path: [name] })) }],
        },
        {
          prefix: 'x509_hash',
          header: { x5c },
          signer: keyOf(world, verifier.key),
          ...more,
          payload: { client_id: clientId, verifier_info: info, ...more.payload },
        },
      ),
    flow: (qrContent) =>
      service.request('POST', '/flows', { authorization: wallet.authorization, body: { qrContent, did: wallet.did } }),
    confirm(begun) {
      const { processId, matchingCredentials } = (
        begun as { data: { processId: string; matchingCredentials: { id: string }[] } }
      ).data
      const body = { type: 'presentation', selectedCredential: { id: matchingCredentials[0]?.id } }
      return service.request('POST', `/flows/${processId}/confirm`, { authorization: wallet.authorization, body })
    },
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]()
      await verifier.close()
      await issuer.close()
    },
  }
}

/** An element of `verifier_info` (ETSI TS 119 472-2 §6.3.2.2). */
export const info = (data: unknown, more: Readonly<Record<string, unknown>> = {}) => [
  { format: 'registration_cert', data, ...more },
]
