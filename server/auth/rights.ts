import type { Config } from '../config/config.js'

/** A user's rights in the console, derived from the user's roles. */
export interface Rights {
  readonly roles: string[]
  readonly isAdmin: boolean
  readonly mayIssue: boolean
  readonly mayVerify: boolean
}

/**
 * Derives the rights from the roles. `admin` may do everything. ISSUER_ROLE, if it is set, allows issuing.
 * VERIFIER_ROLE, if it is set, allows verifying.
 *
 * @param roles of the access token
 */
export function rightsOf(
  roles: ReadonlySet<string>,
  { issuerRole, verifierRole }: Pick<Config, 'issuerRole' | 'verifierRole'>,
): Rights {
  const isAdmin = roles.has('admin')
  const may = (role: string | undefined) => isAdmin || (role !== undefined && roles.has(role))
  return { roles: [...roles], isAdmin, mayIssue: may(issuerRole), mayVerify: may(verifierRole) }
}
