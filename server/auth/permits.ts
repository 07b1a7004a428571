import type { RouteAccess } from '../api/contract.js'
import type { Half } from './access.js'
import { type Rights, type RoleConfig, reachOf, rightsOf } from './rights.js'

type Permit = (rights: Rights, config: RoleConfig) => boolean

const always: Permit = () => true
const never: Permit = () => false
const admin: Permit = ({ isAdmin }) => isAdmin
const issuing: Permit = ({ mayIssue }) => mayIssue
const verifying: Permit = ({ mayVerify }) => mayVerify

/** The user has the role of the half, or the role is not set. */
const anyIn =
  (half: Half): Permit =>
  (rights, config) =>
    reachOf(half, rights, config) !== 'none'

/** Which users may call routes of each access. It is the only such table: the service and the console both use it. */
const PERMITS: Readonly<Record<RouteAccess, Permit>> = {
  public: always,
  optional: always,
  user: always,
  console: always,
  clientOrUser: always,
  ownerOrIssuer: always,
  issuer: anyIn('issuer'),
  clientOrIssuer: anyIn('issuer'),
  verifier: anyIn('verifier'),
  clientOrVerifier: anyIn('verifier'),
  clientOrEither: (rights, config) => anyIn('issuer')(rights, config) || anyIn('verifier')(rights, config),
  issuerClient: issuing,
  issuerOperator: issuing,
  verifierClient: verifying,
  verifierOperator: verifying,
  eitherOperator: (rights) => rights.mayIssue || rights.mayVerify,
  operator: admin,
  admin,
  // Each holder also belongs to its creator.
  holder: admin,
  wallet: never,
}

/**
 * True if a user with these roles may call a route. For `issuerClient` and `verifierClient` it is about users of the console: all
 * other callers of these routes need the client secret.
 */
export const permits = (access: RouteAccess, roles: ReadonlySet<string>, config: RoleConfig): boolean =>
  PERMITS[access](rightsOf(roles, config), config)

/** The roles that each allow a user to call a route, `admin` last. */
export function rolesFor(access: RouteAccess, config: RoleConfig): string[] {
  const roles = [config.issuerRole, config.verifierRole, 'admin'].filter((role) => role !== undefined)
  return [...new Set(roles)].filter((role) => permits(access, new Set([role]), config))
}
