import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import type { Access, Half, SentCredentials } from './access.js'
import { type Caller, isAdmin } from './caller.js'

/** The credentials of one request, and the function that reports its caller. */
export interface AccessRequest {
  readonly headers: SentCredentials
  identified(caller: Caller): void
}

/** The access rules, bound to the sender of one request. */
export interface RequestAccess {
  /** @throws the matching 401. */
  user(isActivity: boolean): Promise<Caller>
  /** Requires the client secret, or a console session with the rights for `half`: see {@link Access.client}. */
  client(half: Half, isActivity: boolean): Promise<Caller | undefined>
  /** @throws 401 if the request has wrong credentials. */
  optional(isActivity: boolean): Promise<{ caller: Caller | undefined; client: boolean }>
  /** @throws 403 for a caller without ISSUER_ROLE or VERIFIER_ROLE (by `half`), if the role is configured. */
  assertRole(caller: Caller, half: Half): void
  /** Whether the caller is an admin, or has the configured role of one of these halves. */
  isOperator(caller: Caller, halves: readonly Half[]): boolean
  /** @throws 403 unless the caller is an admin, or has the configured role of one of these halves. */
  assertOperator(caller: Caller, halves: readonly Half[]): void
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
  config: { authDisabled, issuerRole, verifierRole },
  isHolderOf,
}: RequestAccessPorts): (request: AccessRequest) => RequestAccess {
  const roles: Readonly<Record<Half, string | undefined>> = { issuer: issuerRole, verifier: verifierRole }

  const isOperator = (caller: Caller, halves: readonly Half[]): boolean => {
    const has = (role: string | undefined) => role !== undefined && caller.roles.has(role)
    return isAdmin(caller) || halves.some((half) => has(roles[half]))
  }

  const rules: Pick<RequestAccess, 'assertRole' | 'isOperator' | 'assertOperator' | 'assertHolder' | 'namesOf'> = {
    isOperator,

    assertRole(caller, half) {
      const role = roles[half]
      if (role !== undefined && !authDisabled && !caller.roles.has(role)) throw errors.insufficientRole()
    },

    assertOperator(caller, halves) {
      if (!isOperator(caller, halves)) throw errors.insufficientRole()
    },

    async assertHolder(caller, holderId) {
      // A text with a NUL character is no id, and PostgreSQL refuses it.
      const isOwn = holderId !== undefined && !holderId.includes('\0') && (await isHolderOf(holderId, caller.sub))
      if (!isOwn) throw errors.holderDenied()
    },

    namesOf: (caller, client) =>
      authDisabled
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
      user: async (isActivity) => identified(await access.user(headers, isActivity)),
      client: async (half, isActivity) => identified(await access.client(headers, half, isActivity)),
      optional: async (isActivity) => {
        const sent = await access.optional(headers, isActivity)
        identified(sent.caller)
        return sent
      },
    }
  }
}
