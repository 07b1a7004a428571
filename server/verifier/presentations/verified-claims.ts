import type { CredentialContent } from '../../formats/verifying.js'
import type { AnsweringCredential } from './verify-vp-token.js'

/** The claims of one verified credential, and its issuer. */
export interface VerifiedClaims extends CredentialContent {
  /** The credential query that the credential answers, and the VP query item that this query was made from. */
  readonly credentialQueryId: string
  readonly queryItem?: number
  /** Indexes of the transaction data that the credential authorized; absent if none. */
  readonly transactionData?: number[]
  readonly format: string
  readonly issuer: string
}

export function verifiedClaims({
  queryId,
  item,
  authorizes,
  issuer,
  view,
  content,
}: AnsweringCredential): VerifiedClaims {
  return {
    credentialQueryId: queryId,
    ...(item === undefined ? {} : { queryItem: item }),
    ...(authorizes.length === 0 ? {} : { transactionData: [...authorizes] }),
    format: view.format,
    issuer,
    ...content,
  }
}
