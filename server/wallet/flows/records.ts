import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Vault } from '../../keys/vault.js'
import { isObject } from '../../protocol/json/json-object.js'
import type { PresentationRequest } from '../openid4vp/presentation-request.js'
import type { FlowHolder } from './holder.js'
import type { FlowEnd, FlowStore, FlowType, FoundFlow } from './store.js'

/** Lifetime of a flow: the same as for a pre-authorized code of this service. A request has its own expiry. */
const FLOW_MS = 10 * 60 * 1000

/** The action that a flow waits for. The vault encrypts this content, and only this service writes the content. */
const zContent = z.discriminatedUnion('kind', [
  /** An offering of this installation. */
  z.object({ kind: z.literal('offering'), offeringId: z.string() }),
  /** Any other offer, as read at the start of the flow. */
  z.object({ kind: z.literal('offer'), offer: z.custom<CredentialOfferObject>(isObject) }),
  /** A request. The sender of the request was checked at the start of the flow. */
  z.object({ kind: z.literal('request'), request: z.custom<PresentationRequest>(isObject) }),
])

export type FlowContent = z.output<typeof zContent>

const placeOf = (id: string) => ({ column: 'flows.content', id }) as const

/** Dependencies of {@link createFlowRecords}. */
export interface FlowRecordsPorts {
  readonly store: Pick<FlowStore, 'end' | 'find' | 'insert' | 'reopen'>
  readonly vault: Vault
  readonly newId: () => string
  readonly clock: () => Date
}

export type FlowRecords = ReturnType<typeof createFlowRecords>

/** Stores flows and ends them. */
export function createFlowRecords({ store, vault, newId, clock }: FlowRecordsPorts) {
  /**
   * A flow that waits for the decision of its user.
   *
   * @param sub the `sub` of the user who started the flow
   * @throws 404 for an unknown or expired flow and for the flow of another user; 409 for a flow that has ended.
   */
  async function open(id: string, sub: string): Promise<FoundFlow> {
    const flow = await store.find(id, sub, clock())
    if (flow === undefined) throw errors.flowNotFound()
    if (flow.state !== 'initialized') throw errors.flowEnded(flow.state)
    return flow
  }

  return {
    open,

    /** Stores a new flow for ten minutes. @returns its id. */
    async add(type: FlowType, sub: string, { did, hosted }: FlowHolder, content: FlowContent): Promise<string> {
      const id = newId()
      const createdAt = clock()
      await store.insert({
        id,
        type,
        createdBy: sub,
        did,
        holderId: hosted?.holderId ?? null,
        content: await vault.protect(placeOf(id), JSON.stringify(content)),
        createdAt,
        expiresAt: new Date(createdAt.getTime() + FLOW_MS),
      })
      return id
    },

    contentOf: async ({ id, content }: Pick<FoundFlow, 'id' | 'content'>): Promise<FlowContent> =>
      zContent.parse(JSON.parse(await vault.reveal(placeOf(id), content))),

    /** Ends a flow once: of several simultaneous decisions one counts. @throws like `open`. */
    async end(id: string, sub: string, end: FlowEnd): Promise<void> {
      if (await store.end(id, end, sub)) return
      await open(id, sub)
      // The flow is open again: the decision that came first has failed.
      throw errors.flowEnded('confirmed')
    },

    /** Opens a flow again after its confirmation failed. */
    reopen: (id: string, reason: string): Promise<void> => store.reopen(id, reason),
  }
}
