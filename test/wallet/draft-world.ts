import { type RemoteIssuer, startRemoteIssuer } from '../support/remote-issuer.js'
import {
  type RemoteRequestOptions,
  type RemoteResponse,
  type RemoteVerifier,
  startRemoteVerifier,
} from '../support/remote-verifier.js'
import { startService, type TestService } from '../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../support/wallet.js'

type JsonObject = Readonly<Record<string, unknown>>

/** A wallet with a diploma in both formats, and a verifier of a draft of OpenID4VP. */
export interface DraftWorld {
  readonly service: TestService
  readonly issuer: RemoteIssuer
  readonly verifier: RemoteVerifier
  readonly wallet: HostedWallet
  /** `vct` of the diploma. */
  readonly vct: string
  /** Makes a request of draft 21 with Presentation Exchange. Returns its `openid4vp://` address. */
  exchange(definition: unknown, options?: RemoteRequestOptions): Promise<string>
  /** Sends a request with a definition to the wallet. Returns the wallet's answer. */
  answered(definition: unknown, options?: RemoteRequestOptions): Promise<{ status: number; message: unknown }>
  /** The last response that the verifier received. */
  lastResponse(): RemoteResponse
  close(): Promise<void>
}

/** `vp_formats` of draft 21. */
export const VP_FORMATS = {
  'vc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
  jwt_vc_json: { alg: ['ES256'] },
  jwt_vp_json: { alg: ['ES256'] },
}

/** Names of the claims that a presentation of an SD-JWT VC discloses. */
export const disclosed = (presentation: unknown) =>
  String(presentation)
    .split('~')
    .slice(1, -1)
    .map((disclosure) => JSON.parse(Buffer.from(disclosure, 'base64url').toString())[1])

export async function makeDraftWorld(): Promise<DraftWorld> {
  const issuer = await startRemoteIssuer()
  const verifier = await startRemoteVerifier()
  const service = await startService({ env: { ...LOOPBACK, VERIFIER_TRUST_ANCHORS: verifier.anchorFile } })
  const wallet = await newWallet(service)
  const taken = await wallet.process(await issuer.offer())
  if (taken.status !== 200) throw new Error(taken.text)
  const exchange = (definition: unknown, { payload, ...options }: RemoteRequestOptions = {}) => {
    const scheme: JsonObject = { client_id: verifier.key.did, client_id_scheme: 'did' }
    return verifier.request(undefined, {
      clientId: verifier.key.did,
      address: { client_id_scheme: 'did' },
      ...options,
      payload: {
        ...scheme,
        dcql_query: undefined,
        presentation_definition: definition,
        client_metadata: { client_name: 'Remote verifier', vp_formats: VP_FORMATS },
        ...payload,
      },
    })
  }
  return {
    service,
    issuer,
    verifier,
    wallet,
    vct: `${issuer.url}/vct/diploma`,
    exchange,
    async answered(definition, options) {
      const answer = await wallet.process(await exchange(definition, options))
      return { status: answer.status, message: answer.json.message }
    },
    lastResponse() {
      const response = verifier.responses.at(-1)
      if (response === undefined) throw new Error('Nothing was presented.')
      return response
    },
    async close() {
      await service.close()
      await issuer.close()
      await verifier.close()
    },
  }
}
