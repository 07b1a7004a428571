import type { Grant } from './grant.js'
import { preAuthorizedCode } from './pre-authorized-code.js'

/** Every grant of the token endpoint. */
export const GRANTS: readonly Grant[] = [preAuthorizedCode]
