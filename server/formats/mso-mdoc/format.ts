import type { VerifiedFormat } from '../format.js'
import { querying } from './querying.js'
import { verifying } from './verifying.js'

/** Mobile documents of ISO/IEC 18013-5 (OpenID4VP 1.0 Appendix B.2). */
export const msoMdoc = {
  name: 'mso_mdoc',
  haip: true,
  verifying,
  querying,
} as const satisfies VerifiedFormat
