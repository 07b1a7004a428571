import { authorizationCode } from './authorization-code.js'
import type { Grant } from './grant.js'
import { preAuthorizedCode } from './pre-authorized-code.js'
import { refreshToken } from './refresh-token.js'

/** Every grant of the token endpoint. */
export const GRANTS: readonly Grant[] = [authorizationCode, preAuthorizedCode, refreshToken]
