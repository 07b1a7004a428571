import type { Config } from '../../../config.js'
import type { AuthorizationState } from './authorization.js'

/** The user who decides when the page is opened: the local admin, or null for anyone who has the offer. */
export interface Decider {
  readonly state: AuthorizationState & ('Started' | 'SignedIn')
  readonly userSub: string | null
}

/** Whether users can be identified by a `sub`. */
export const canSignIn = ({ authDisabled }: Pick<Config, 'authDisabled'>): boolean => authDisabled

/** With AUTH_DISABLED every caller is one local admin; without an identity provider there is no sign-in. */
export const deciderOf = ({ authDisabled }: Pick<Config, 'authDisabled'>): Decider => ({
  state: 'SignedIn',
  userSub: authDisabled ? 'local-admin' : null,
})
