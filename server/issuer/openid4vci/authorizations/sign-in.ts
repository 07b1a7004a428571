import type { Config } from '../../../config/config.js'
import type { AuthorizationState } from './authorization.js'

type SignInConfig = Pick<Config, 'signIn' | 'authDisabled'>

/** The user who decides when the page is opened: the local admin, or null where they are to sign in, or nobody does. */
export interface Decider {
  readonly state: AuthorizationState & ('Started' | 'SignedIn')
  readonly userSub: string | null
}

/** Whether users can be identified by a `sub`. */
export const canSignIn = ({ signIn, authDisabled }: SignInConfig): boolean => signIn !== undefined || authDisabled

/** Whether every person is one local admin: AUTH_DISABLED without an identity provider to sign in at. */
export const isLocalAdmin = ({ signIn, authDisabled }: SignInConfig): boolean => signIn === undefined && authDisabled

/** Who decides before anybody signed in at the identity provider. Without one, and without AUTH_DISABLED, whoever is there. */
export const deciderOf = (config: SignInConfig): Decider => ({
  state: config.signIn === undefined ? 'SignedIn' : 'Started',
  userSub: isLocalAdmin(config) ? 'local-admin' : null,
})
