import type { Deps } from '../../deps.js'
import { RemoteDids } from '../../dids/remote-dids.js'
import { CredentialError, type ResolveIssuerKey, type StatusReference } from '../../protocol/credential/verification.js'
import { type VerifiedJwtVc, verifyJwtVc } from '../../protocol/jwt-vc/verify.js'
import { type VerifiedSdJwtVc, verifySdJwtVc } from '../../protocol/sd-jwt-vc/verify.js'
import { issuerKeyResolution, type VerificationFetches, verificationFetches } from './issuer-keys.js'
import { assertNotRevoked } from './status.js'

/** A credential whose signature, times and disclosures hold. Who issued it is for the caller to judge. */
export type CheckedCredential =
  | (VerifiedSdJwtVc & { readonly format: 'dc+sd-jwt' })
  | (VerifiedJwtVc & { readonly format: 'jwt_vc' })

/** One verification, of one credential or of several: one moment, one budget of fetches, four DIDs of other hosts. */
export interface Verification {
  readonly deps: Deps
  readonly now: Date
  readonly fetches: VerificationFetches
  readonly resolveIssuerKey: ResolveIssuerKey
}

const UNSUPPORTED = 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.'

const LEEWAY_SECONDS = 60

/** The format of a compact credential by its looks: `~` makes an SD-JWT, three non-empty segments a JWT. */
export function formatOf(compact: string): 'dc+sd-jwt' | 'jwt_vc' {
  if (compact.includes('~')) return 'dc+sd-jwt'
  const segments = compact.split('.', 4)
  if (segments.length === 3 && segments.every((segment) => segment !== '')) return 'jwt_vc'
  throw new CredentialError(UNSUPPORTED)
}

export function startVerification(deps: Deps): Verification {
  const now = deps.clock()
  const remote = new RemoteDids()
  const fetches = verificationFetches(deps, (did) => remote.admit(did))
  return { deps, now, fetches, resolveIssuerKey: issuerKeyResolution(deps, fetches, now) }
}

/** What the credential formats take from a verification; `resolveIssuerKey` may be one that believes fewer issuers. */
export const verifyOptions = (verification: Verification, resolveIssuerKey = verification.resolveIssuerKey) => ({
  resolveIssuerKey,
  now: verification.now,
  leewaySeconds: LEEWAY_SECONDS,
})

/**
 * Checks every status entry of a verified credential, live.
 *
 * @throws CredentialError `Credential has been revoked.`, `Credential has been suspended.`, or why the status cannot be had.
 */
export async function checkStatus(
  verification: Verification,
  checked: Pick<CheckedCredential, 'status' | 'issuerKey'>,
): Promise<void> {
  const { deps, fetches, resolveIssuerKey, now } = verification
  const references: readonly StatusReference[] = checked.status === undefined ? [] : [checked.status].flat()
  await assertNotRevoked(deps, fetches, resolveIssuerKey, references, checked.issuerKey, now)
}

/**
 * Verifies a compact credential: signature by its issuer's key, times, disclosures, status read live.
 *
 * @throws CredentialError with the sentence that says what is wrong with it.
 */
export async function checkCredential(deps: Deps, compact: string): Promise<CheckedCredential> {
  const format = formatOf(compact)
  const verification = startVerification(deps)
  const options = verifyOptions(verification)
  const checked: CheckedCredential =
    format === 'dc+sd-jwt'
      ? { format, ...(await verifySdJwtVc(compact, options)) }
      : { format, ...(await verifyJwtVc(compact, options)) }
  await checkStatus(verification, checked)
  return checked
}
