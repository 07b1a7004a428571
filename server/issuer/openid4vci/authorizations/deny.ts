import type { OAuthError } from '../../../protocol/oauth/error.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import type { DecisionStore } from './decision-store.js'
import type { Replies } from './replies.js'
import type { BrowserRequest, Visited } from './visits.js'

/** Dependencies of {@link createDeny}. */
export interface DenyPorts {
  readonly decisions: Pick<DecisionStore, 'deny'>
  readonly replies: Pick<Replies, 'decided' | 'refuseWallet'>
  readonly clock: () => Date
}

/** Denies an authorization once and redirects the browser to the wallet with the refusal. */
export type Deny = (request: BrowserRequest, visited: Visited, refusal: OAuthError) => Promise<ProtocolReply>

export const createDeny =
  ({ decisions, replies, clock }: DenyPorts): Deny =>
  async (request, { authorization, browserHash }, refusal) =>
    (await decisions.deny(authorization.id, browserHash, clock())) !== undefined
      ? replies.refuseWallet(authorization.request, refusal)
      : replies.decided(request)
