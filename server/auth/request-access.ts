import type { RouteAccess } from '../api/contract.js'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import type { Access, Half, SentCredentials } from './access.js'
import type { Caller } from './caller.js'
import { permits } from './permits.js'
import { type Reach, reachIn, type Sender } from './rights.js'

/** Routes that need the client secret, or a console session. */
const ONLY_BY_SECRET: readonly RouteAccess[] = ['issuerClient', 'verifierClient']

/** Routes that answer the client secret. */
const BY_SECRET: readonly RouteAccess[] = [
  ...ONLY_BY_SECRET,
  ...(['clientOrIssuer', 'clientOrVerifier', 'clientOrEither', 'clientOrUser'] as const),
  ...(['operator', 'issuerOperator', 'verifierOperator', 'eitherOperator', 'ownerOrIssuer'] as const),
]

/** The credentials of one request, and the function that reports its caller. */
export interface AccessRequest {
  readonly headers: SentCredentials
  identified(caller: Caller): void
}

/** The access rules, bound to the sender of one request. */
export interface RequestAccess {
  /** @throws the matching 401. */
  user(isActivity: boolean): Promise<Caller>
  /** Requires the client secret, or a console session: see {@link Access.client}. */
  client(isActivity: boolean): Promise<Caller | undefined>
  /** @throws 401 if the request has wrong credentials. */
  optional(isActivity: boolean): Promise<{ caller: Caller | undefined; client: boolean }>
  /** @throws 403 for a user whose roles do not allow routes of this access. */
  assertPermitted(caller: Caller, route: RouteAccess): void
  /** True if routes of this access answer the sender. */
  mayCall(sender: Sender, route: RouteAccess): boolean
  /** The records of a half that the sender may list, read and change. */
  reach(half: Half, sender: Sender): Reach
  /** @throws 403 unless the caller created this holder. */
  assertHolder(caller: Caller, holderId: string | undefined): Promise<void>
  /**
   * Returns the ids under which the sender's changes are recorded. Without authentication, all senders have the same
   * id.
   */
  namesOf(caller: Caller | undefined, client: boolean): string[]
}

/** The ports of {@link createRequestAccess}. */
export interface RequestAccessPorts {
  readonly access: Access
  readonly config: Pick<Config, 'authDisabled' | 'issuerRole' | 'verifierRole'>
  /** True if the user created the holder. */
  readonly isHolderOf: (holderId: string, sub: string) => Promise<boolean>
}

/** Returns a function that applies the access rules to the sender of a request. */
export function createRequestAccess({
  access,
  config,
  isHolderOf,
}: RequestAccessPorts): (request: AccessRequest) => RequestAccess {
  const rules: Pick<RequestAccess, 'assertPermitted' | 'reach' | 'assertHolder' | 'namesOf'> = {
    assertPermitted(caller, route) {
      if (!permits(route, caller.roles, config)) throw errors.insufficientRole()
    },

    reach: (half, sender) => reachIn(half, sender, config),

    async assertHolder(caller, holderId) {
      // A text with a NUL character is no id, and PostgreSQL refuses it.
      const isOwn = holderId !== undefined && !holderId.includes('\0') && (await isHolderOf(holderId, caller.sub))
      if (!isOwn) throw errors.holderDenied()
    },

    namesOf: (caller, client) =>
      config.authDisabled
        ? ['anybody']
        : [...(caller === undefined ? [] : [`user ${caller.sub}`]), ...(client ? ['client'] : [])],
  }

  return (request) => {
    const { headers } = request
    const identified = <Known extends Caller | undefined>(caller: Known): Known => {
      if (caller !== undefined) request.identified(caller)
      return caller
    }
    return {
      ...rules,
      mayCall: ({ caller, client }, route) =>
        (client && BY_SECRET.includes(route)) ||
        (caller !== undefined &&
          permits(route, caller.roles, config) &&
          // These routes accept no access token. Without a token, the caller is the user of a console session.
          (!ONLY_BY_SECRET.includes(route) || headers.authorization === undefined)),
      user: async (isActivity) => identified(await access.user(headers, isActivity)),
      client: async (isActivity) => identified(await access.client(headers, isActivity)),
      optional: async (isActivity) => {
        const sent = await access.optional(headers, isActivity)
        identified(sent.caller)
        return sent
      },
    }
  }
}
