import { DIPLOMA_SD_JWT, type RemoteIssuer, startRemoteIssuer } from '../support/remote-issuer.js'
import { type RemoteRequestOptions, type RemoteVerifier, startRemoteVerifier } from '../support/remote-verifier.js'
import { startService, type TestService } from '../support/service.js'
import { type HostedWallet, newWallet } from '../support/wallet.js'
import { type RemoteServer, startRemoteServer } from '../support/wallet-http.js'

export interface Refusal {
  readonly status: number
  readonly message: string
  /** Returns the number of presentations that the wallet has sent to any address. */
  readonly presented: number
}

/** A wallet with a diploma, and a verifier that attacks it. */
export interface HostileWorld {
  readonly service: TestService
  readonly issuer: RemoteIssuer
  readonly verifier: RemoteVerifier
  /** An address at which no request may arrive. */
  readonly elsewhere: RemoteServer
  readonly wallet: HostedWallet
  /** A query that the wallet could answer. */
  diploma(): Readonly<Record<string, unknown>>
  /** Sends a request to the wallet. Returns the wallet's refusal. */
  refusalOf(options: RemoteRequestOptions, query?: unknown): Promise<Refusal>
  close(): Promise<void>
}

export async function makeHostileWorld(): Promise<HostileWorld> {
  const issuer = await startRemoteIssuer()
  const verifier = await startRemoteVerifier()
  const elsewhere = await startRemoteServer(() => ({
    '/response': () => ({ body: {} }),
    '/metadata': () => ({ body: {} }),
  }))
  const service = await startService({
    env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1 localhost', VERIFIER_TRUST_ANCHORS: verifier.anchorFile },
  })
  const wallet = await newWallet(service)
  const taken = await wallet.process(await issuer.offer([DIPLOMA_SD_JWT]))
  if (taken.status !== 200) throw new Error(taken.text)
  const diploma = () => ({
    credentials: [{ id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [`${issuer.url}/vct/diploma`] } }],
  })
  return {
    service,
    issuer,
    verifier,
    elsewhere,
    wallet,
    diploma,
    async refusalOf(options, query = diploma()) {
      const sent = () => verifier.responses.length + elsewhere.seen.length
      const before = sent()
      const answer = await wallet.process(await verifier.request(query, options))
      return { status: answer.status, message: String(answer.json.message), presented: sent() - before }
    },
    async close() {
      await service.close()
      await issuer.close()
      await verifier.close()
      await elsewhere.close()
    },
  }
}
