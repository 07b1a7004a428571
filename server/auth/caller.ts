/** The authenticated caller, from the identity provider's token. */
export interface Caller {
  /** The token's `sub`. */
  readonly sub: string
  readonly roles: ReadonlySet<string>
  /**
   * The DIDs in the token (OIDC_DID_CLAIM). In addition to them, a caller has the DIDs of the holders that it created.
   */
  readonly tokenDids: readonly string[]
  /** The token's `exp`, in milliseconds since 1970; absent without a token. */
  readonly expiresAt?: number
}

/** The caller of every request with AUTH_DISABLED: one local admin. */
export const LOCAL_ADMIN: Caller = { sub: 'local-admin', roles: new Set(['admin']), tokenDids: [] }

export const isAdmin = (caller: Caller): boolean => caller.roles.has('admin')
