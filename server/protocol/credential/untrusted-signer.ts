import { readX5c } from '../issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../issuer-keys/issuer-key-error.js'

/** The certificates of a signer that is not trusted, for the question why. All of it is public. */
export interface UntrustedSigner {
  /** What the signer should be trusted for: the purpose of trusted lists. */
  readonly purpose: 'credentials' | 'verifiers' | 'registrars'
  /** Base64 DER, the signer's certificate first. */
  readonly certificates: readonly string[]
  /** The types of the credential; empty for other documents. */
  readonly types: readonly string[]
}

/** Limit of the certificates as text. It is stored and shown. Chains are much shorter. */
const MAX_CHARACTERS = 16_384
const MAX_TYPES = 10
const MAX_TYPE = 200

/**
 * The signer of a document that was refused.
 *
 * @param x5c the chain in the header of the document, as it was sent
 * @returns undefined without a readable chain, and for a chain that is too long to be shown
 */
export function untrustedSigner(
  purpose: UntrustedSigner['purpose'],
  x5c: unknown,
  types: readonly string[] = [],
): UntrustedSigner | undefined {
  if (!Array.isArray(x5c) || JSON.stringify(x5c).length > MAX_CHARACTERS) return undefined
  try {
    const certificates = readX5c(x5c).map(({ raw }) => raw.toString('base64'))
    return { purpose, certificates, types: types.slice(0, MAX_TYPES).map((type) => type.slice(0, MAX_TYPE)) }
  } catch (error) {
    if (error instanceof IssuerKeyError) return undefined
    throw error
  }
}
