import type { Config } from '../../../config/config.js'
import { isHaip } from '../haip.js'
import { authorizationCode } from './authorization-code.js'
import type { Grant } from './grant.js'
import { preAuthorizedCode } from './pre-authorized-code.js'
import { refreshToken } from './refresh-token.js'

const GRANTS: readonly Grant[] = [authorizationCode, preAuthorizedCode, refreshToken]

/** The grants of the token endpoint; HAIP 1.0 §4 has no pre-authorized codes. */
export const grantsOf = (deps: { readonly config: Pick<Config, 'issuerProfile'> }): readonly Grant[] =>
  isHaip(deps) ? GRANTS.filter((grant) => grant !== preAuthorizedCode) : GRANTS
