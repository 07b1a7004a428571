import { expect } from 'vitest'
import { postOffering, postSchema } from '../issuer/purchase.js'
import { type Answer, startService, type TestService } from '../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../support/wallet.js'
import { newRemoteKey } from '../support/wallet-callbacks.js'

type ConfirmBody = Readonly<Record<string, unknown>>

/** A service with a credential type, a hosted wallet, and a clock that can be set forward. */
export interface FlowWorld {
  readonly service: TestService
  readonly wallet: HostedWallet
  readonly type: string
  /** The number of milliseconds by which the clock is set forward. */
  later: number
  start(qrContent: string, did?: string, authorization?: string): Promise<Answer>
  confirm(
    processId: string,
    kind: 'claim' | 'presentation',
    selectedCredential?: unknown,
    authorization?: string,
    more?: ConfirmBody,
  ): Promise<Answer>
  offering(members?: Readonly<Record<string, unknown>>): Promise<Answer['json']>
  /** Makes a holder who has one credential in each format from this installation. */
  holding(sub: string): Promise<HostedWallet>
  /** Makes a caller who has no hosted wallet, but has a DID in the token. */
  guest(sub?: string): Promise<{ readonly did: string; readonly authorization: string }>
  /** Makes a request for a JWT VC of the type. */
  dcqlQuery(): Readonly<Record<string, unknown>>
  close(): Promise<void>
}

/** Flows that the holder must not find. Each has a description, and a function that returns the process id. */
export const NOT_FOUND: readonly (readonly [string, (world: FlowWorld, holder: HostedWallet) => Promise<string>])[] = [
  ['unknown', async () => crypto.randomUUID()],
  ['of no known form', async () => 'x'],
  [
    'of somebody else',
    async (world) => {
      const { authorization, did } = await world.guest('somebody else')
      return (await world.start((await world.offering()).offering_full_url, did, authorization)).json.data.processId
    },
  ],
  [
    'expired',
    async (world, { did, authorization }) => {
      const { json } = await world.start((await world.offering()).offering_full_url, did, authorization)
      world.later = 10 * 60_000
      return json.data.processId
    },
  ],
]

export async function makeFlowWorld(): Promise<FlowWorld> {
  const clock = { later: 0 }
  const service = await startService({ env: LOOPBACK, clock: () => new Date(Date.now() + clock.later) })
  const wallet = await newWallet(service, 'alice')
  const { name: type } = await postSchema(service, await service.bearer('issuer'))
  const offering = (members: Readonly<Record<string, unknown>> = {}) =>
    postOffering(service, { credential_type: type, ...members })
  return {
    service,
    wallet,
    type,
    get later() {
      return clock.later
    },
    set later(milliseconds) {
      clock.later = milliseconds
    },
    start: (qrContent, did = wallet.did, authorization = wallet.authorization) =>
      service.request('POST', '/flows', { authorization, body: { qrContent, did } }),
    confirm: (processId, kind, selectedCredential = {}, authorization = wallet.authorization, more = {}) =>
      service.request('POST', `/flows/${processId}/confirm`, {
        authorization,
        body: { type: kind, selectedCredential, ...more },
      }),
    offering,
    async holding(sub) {
      const holder = await newWallet(service, sub)
      const taken = await holder.process((await offering()).offering_full_url)
      expect(taken.status).toBe(200)
      return holder
    },
    async guest(sub = 'guest') {
      const { did } = await newRemoteKey()
      return { did, authorization: await service.bearer(sub, { did }) }
    },
    dcqlQuery: () => ({
      credentials: [{ id: 'purchase', format: 'jwt_vc_json', meta: { type_values: [[type]] } }],
    }),
    close: service.close,
  }
}
