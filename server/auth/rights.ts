import type { Config } from '../config/config.js'
import type { Half } from './access.js'
import type { Caller } from './caller.js'

/** The configured roles. */
export type RoleConfig = Pick<Config, 'issuerRole' | 'verifierRole'>

/** A user's rights, derived from the user's roles. */
export interface Rights {
  readonly roles: string[]
  readonly isAdmin: boolean
  readonly mayIssue: boolean
  readonly mayVerify: boolean
}

/**
 * Derives the rights from the roles. `admin` may do everything, so it includes ISSUER_ROLE and VERIFIER_ROLE.
 * ISSUER_ROLE, if it is set, allows issuing. VERIFIER_ROLE, if it is set, allows verifying.
 *
 * @param roles of the access token
 */
export function rightsOf(roles: ReadonlySet<string>, { issuerRole, verifierRole }: RoleConfig): Rights {
  const isAdmin = roles.has('admin')
  const may = (role: string | undefined) => isAdmin || (role !== undefined && roles.has(role))
  return { roles: [...roles], isAdmin, mayIssue: may(issuerRole), mayVerify: may(verifierRole) }
}

/** The sender of a request: a user, the client secret, or both. */
export interface Sender {
  readonly caller: Caller | undefined
  readonly client: boolean
}

/**
 * The records of a half that a user may list, read and change.
 *
 * - `all`: the records of all callers. Admins reach them. Users with the role of the half reach them too, if the role is set.
 * - `own`: only the user's own records, if the role of the half is not set.
 * - `none`: the user lacks the role of the half.
 */
export function reachOf(half: Half, { mayIssue, mayVerify }: Rights, config: RoleConfig): 'all' | 'own' | 'none' {
  if (half === 'issuer' ? mayIssue : mayVerify) return 'all'
  return (half === 'issuer' ? config.issuerRole : config.verifierRole) === undefined ? 'own' : 'none'
}

/** The records of a half that the sender of one request may list, read and change. */
export interface Reach {
  /** The `sub` of the sender; null for the client secret. */
  readonly sub: string | null
  /** True for the records of all callers, false for only the sender's own records. */
  readonly isAll: boolean
}

/** Decides which records of a half a sender reaches. The client secret reaches all. */
export function reachIn(half: Half, { caller, client }: Sender, config: RoleConfig): Reach {
  const isAll = client || (caller !== undefined && reachOf(half, rightsOf(caller.roles, config), config) === 'all')
  return { sub: caller?.sub ?? null, isAll }
}

/** True if the sender may act on a record. @param createdBy the `sub` of the record's creator; null for the client secret */
export const mayActOn = ({ sub, isAll }: Reach, createdBy: string | null): boolean =>
  isAll || (sub !== null && sub === createdBy)

/**
 * The only creator whose records are reached; null for the client secret, undefined for the records of all creators.
 *
 * @param mine whether the sender wants only its own records
 */
export const creatorIn = ({ sub, isAll }: Reach, mine = false): string | null | undefined =>
  isAll && !mine ? undefined : sub
