import type { CredentialFormat } from '../format.js'
import { holding } from './holding.js'
import { issuing } from './issuing.js'
import { querying } from './querying.js'
import { verifying } from './verifying.js'

/** A W3C credential of the VCDM 1.1, signed as a JWT (OpenID4VCI 1.0 Appendix A.1.1, OpenID4VP 1.0 Appendix B.1). */
export const jwtVcJson = {
  name: 'jwt_vc_json',
  haip: false,
  issuing,
  verifying,
  querying,
  holding,
} as const satisfies CredentialFormat
