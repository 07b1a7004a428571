import type { CredentialFormat } from '../format.js'
import { holding } from './holding.js'
import { issuing } from './issuing.js'
import { querying } from './querying.js'
import { verifying } from './verifying.js'

/** Mobile documents of ISO/IEC 18013-5 (OpenID4VCI 1.0 Appendix A.2, OpenID4VP 1.0 Appendix B.2). */
export const msoMdoc = {
  name: 'mso_mdoc',
  haip: true,
  issuing,
  verifying,
  querying,
  holding,
} as const satisfies CredentialFormat
