import type { RequestAccess } from '../auth/request-access.js'
import type { Sender } from '../auth/rights.js'

/** The caller of an operation on webhooks, and the caller's rights. */
export interface Maker {
  /** The `sub`; null for the client secret. */
  readonly sub: string | null
  /** An admin or the client secret, who reach the webhooks of all callers. */
  readonly isAdmin: boolean
  /** The halves whose events the caller may receive. */
  readonly issuing: boolean
  readonly verifying: boolean
}

/** The rights of the sender of a request. */
export function makerOf(access: Pick<RequestAccess, 'mayCall'>, sender: Sender): Maker {
  const may = (route: Parameters<RequestAccess['mayCall']>[1]) => access.mayCall(sender, route)
  return {
    sub: sender.caller?.sub ?? null,
    isAdmin: may('operator'),
    issuing: may('clientOrIssuer'),
    verifying: may('clientOrVerifier'),
  }
}

/** The only creator whose webhooks the caller reaches; undefined for all creators. */
export const reachedBy = ({ sub, isAdmin }: Maker): string | null | undefined => (isAdmin ? undefined : sub)
