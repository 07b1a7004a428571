import type { Config } from '../../../config.js'
import type { AuthorizationState } from './authorization.js'

/** Who decides over an authorization when its page is opened: the local admin, or whoever has the offer. */
export interface Decider {
  readonly state: AuthorizationState & ('Started' | 'SignedIn')
  readonly userSub: string | null
}

/** Whether anybody can be known by a `sub` here. */
export const canSignIn = ({ authDisabled }: Pick<Config, 'authDisabled'>): boolean => authDisabled

/** With AUTH_DISABLED every caller is one local admin; without a provider nobody signs in. */
export const deciderOf = ({ authDisabled }: Pick<Config, 'authDisabled'>): Decider => ({
  state: 'SignedIn',
  userSub: authDisabled ? 'local-admin' : null,
})
