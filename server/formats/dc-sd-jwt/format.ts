import type { CredentialFormat } from '../format.js'
import { FORMER_NAME } from './former-name.js'
import { holding } from './holding.js'
import { formerIssuing, issuing } from './issuing.js'
import { formerQuerying, querying } from './querying.js'
import { verifying } from './verifying.js'

/** SD-JWT VC (OpenID4VCI 1.0 Appendix A.3, OpenID4VP 1.0 Appendix B.3). */
export const dcSdJwt = {
  name: 'dc+sd-jwt',
  haip: true,
  issuing,
  verifying,
  querying,
  holding,
  // OpenID4VCI draft 13 Appendix A.3, OpenID4VP draft 21 Appendix A.4
  former: { name: FORMER_NAME, haip: true, issuing: formerIssuing, verifying, querying: formerQuerying, holding },
} as const satisfies CredentialFormat
