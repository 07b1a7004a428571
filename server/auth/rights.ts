import type { Config } from '../config/config.js'

/** What a user may do in the console, by their roles. */
export interface Rights {
  readonly roles: string[]
  readonly isAdmin: boolean
  readonly mayIssue: boolean
  readonly mayVerify: boolean
}

/**
 * `admin` may everything; ISSUER_ROLE and VERIFIER_ROLE, where they are set, their halves.
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
