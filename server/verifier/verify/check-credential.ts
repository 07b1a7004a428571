import type { Deps } from '../../deps.js'
import { CredentialError, type StatusReference } from '../../protocol/credential.js'
import { type VerifiedJwtVc, verifyJwtVc } from '../../protocol/jwt-vc/verify.js'
import { type VerifiedSdJwtVc, verifySdJwtVc } from '../../protocol/sd-jwt-vc/verify.js'
import { issuerKeyResolution, verificationFetches } from './issuer-keys.js'
import { assertNotRevoked } from './status.js'

/** A credential whose signature, times, disclosures and status hold. Who issued it is for the caller to judge. */
export type CheckedCredential =
  | (VerifiedSdJwtVc & { readonly format: 'dc+sd-jwt' })
  | (VerifiedJwtVc & { readonly format: 'jwt_vc' })

const UNSUPPORTED = 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.'

const LEEWAY_SECONDS = 60

/** The format of a compact credential by its looks: `~` makes an SD-JWT, three non-empty segments a JWT. */
export function formatOf(compact: string): 'dc+sd-jwt' | 'jwt_vc' {
  if (compact.includes('~')) return 'dc+sd-jwt'
  const segments = compact.split('.', 4)
  if (segments.length === 3 && segments.every((segment) => segment !== '')) return 'jwt_vc'
  throw new CredentialError(UNSUPPORTED)
}

/**
 * Verifies a compact credential: signature by its issuer's key, times, disclosures, status read live.
 *
 * @throws CredentialError with the sentence that says what is wrong with it.
 */
export async function checkCredential(deps: Deps, compact: string): Promise<CheckedCredential> {
  const format = formatOf(compact)
  const now = deps.clock()
  const fetches = verificationFetches(deps)
  const resolveIssuerKey = issuerKeyResolution(deps, fetches, now)
  const options = { resolveIssuerKey, now, leewaySeconds: LEEWAY_SECONDS }
  const checked: CheckedCredential =
    format === 'dc+sd-jwt'
      ? { format, ...(await verifySdJwtVc(compact, options)) }
      : { format, ...(await verifyJwtVc(compact, options)) }
  const references: readonly StatusReference[] = checked.status === undefined ? [] : [checked.status].flat()
  await assertNotRevoked(deps, fetches, resolveIssuerKey, references, checked.issuerKey, now)
  return checked
}
