import type { Config } from '../../../config/config.js'
import type { AuthorizationState } from './authorization.js'

type SignInConfig = Pick<Config, 'signIn' | 'authDisabled'>

/**
 * The state and the user of an authorization when a browser opens its page. The user is the local admin, or null. Null
 * means that the user must still sign in, or that there is no sign-in.
 */
export interface Decider {
  readonly state: AuthorizationState & ('Started' | 'SignedIn')
  readonly userSub: string | null
}

/** Whether users can be identified by a `sub`. */
export const canSignIn = ({ signIn, authDisabled }: SignInConfig): boolean => signIn !== undefined || authDisabled

/** Whether every person is the one local admin: AUTH_DISABLED is set and no identity provider is configured for sign-in. */
export const isLocalAdmin = ({ signIn, authDisabled }: SignInConfig): boolean => signIn === undefined && authDisabled

/**
 * The state and the user before any sign-in. Without an identity provider and without AUTH_DISABLED, anybody with the
 * page may decide.
 */
export const deciderOf = (config: SignInConfig): Decider => ({
  state: config.signIn === undefined ? 'SignedIn' : 'Started',
  userSub: isLocalAdmin(config) ? 'local-admin' : null,
})
