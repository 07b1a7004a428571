/** Who is asking, as the identity provider says. */
export interface Caller {
  /** The token's `sub`. */
  readonly sub: string
  readonly roles: ReadonlySet<string>
  /** DIDs that the token names (OIDC_DID_CLAIM); the DIDs of the caller's holders come beside them. */
  readonly tokenDids: readonly string[]
  /** The token's `exp`, in milliseconds since 1970; absent where there is no token. */
  readonly expiresAt?: number
}

/** The one admin that everybody is with AUTH_DISABLED. */
export const LOCAL_ADMIN: Caller = { sub: 'local-admin', roles: new Set(['admin']), tokenDids: [] }

export const isAdmin = (caller: Caller): boolean => caller.roles.has('admin')
