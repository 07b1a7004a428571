import type { Deps } from '../../deps.js'
import { RemoteDids } from '../../dids/remote-dids.js'
import type { CredentialFormat } from '../../formats/format.js'
import type { VerifiedCredential } from '../../formats/verifying.js'
import type { Check, ResolveIssuerKey } from '../../protocol/credential/verification.js'
import type { Work } from '../../protocol/work.js'
import {
  certifiedKeyResolution,
  issuerKeyResolution,
  type VerificationFetches,
  verificationFetches,
} from './issuer-keys.js'
import { assertNotRevoked } from './status.js'

/** One verification, of one credential or of several: one moment, one budget of fetches, four DIDs of other hosts. */
export interface Verification {
  readonly deps: Deps
  readonly now: Date
  /** What all checks of it may cost together. */
  readonly work: Work
  readonly fetches: VerificationFetches
  readonly resolveIssuerKey: ResolveIssuerKey
  /** By the chain in `x5c` alone, which fetches nothing. */
  readonly resolveCertifiedKey: ResolveIssuerKey
  /** Whether there are trust anchors that such a chain may lead to. */
  readonly isAnchored: boolean
  /** Whether both resolutions are the same, and status lists too need such a chain (HAIP 1.0 §6.1, §6.1.1). */
  readonly certifiedOnly: boolean
  /** Names that `alg` of credentials and holders' proofs may have; those of every supported algorithm unless given. */
  readonly algorithms: readonly string[] | undefined
}

/** What a profile narrows. */
export type Narrowing = Partial<Pick<Verification, 'certifiedOnly' | 'algorithms'>>

const LEEWAY_SECONDS = 60

/** What finding a key and verifying with it costs, the proof of the holder included. */
const UNITS_OF_A_SIGNATURE = 10_000
/** What parsing and verifying one certificate of an `x5c` costs, charged where the chain is known as well. */
const UNITS_OF_A_CERTIFICATE = 6_000

/**
 * @param work pays for each credential and status list whose signature is verified, and for each certificate that came with it
 * @param narrowing `certifiedOnly`: whether keys are found by `x5c` chains to trust anchors and in no other way; false unless given
 */
export function startVerification(
  deps: Deps,
  work: Work,
  { certifiedOnly = false, algorithms }: Narrowing = {},
): Verification {
  const now = deps.clock()
  const remote = new RemoteDids()
  const fetches = verificationFetches(deps, (did) => remote.admit(did))
  const paid =
    (resolve: ResolveIssuerKey): ResolveIssuerKey =>
    (header, payload, what) => {
      const certificates = Array.isArray(header.x5c) ? header.x5c.length : 0
      work.spend(UNITS_OF_A_SIGNATURE + UNITS_OF_A_CERTIFICATE * certificates)
      return resolve(header, payload, what)
    }
  const resolveCertifiedKey = paid(certifiedKeyResolution(deps, now, { withoutRoots: certifiedOnly }))
  return {
    deps,
    now,
    work,
    fetches,
    resolveIssuerKey: certifiedOnly ? resolveCertifiedKey : paid(issuerKeyResolution(deps, fetches, now)),
    resolveCertifiedKey,
    isAnchored: deps.config.trustAnchors.length > 0,
    certifiedOnly,
    algorithms,
  }
}

/** What the credential formats take from a verification; `resolveIssuerKey` may be one that is limited to trusted issuers. */
export const verifyOptions = (verification: Verification, resolveIssuerKey = verification.resolveIssuerKey) => ({
  resolveIssuerKey,
  now: verification.now,
  leewaySeconds: LEEWAY_SECONDS,
  algorithms: verification.algorithms,
  work: verification.work,
})

/**
 * Checks every status entry of a verified credential, live.
 *
 * @throws CredentialError `Credential has been revoked.`, `Credential has been suspended.`, or why the status cannot be had.
 */
export async function checkStatus(
  verification: Verification,
  { status, issuerKey }: Pick<VerifiedCredential, 'status' | 'issuerKey'>,
): Promise<void> {
  await assertNotRevoked(verification.deps, verification, status, issuerKey)
}

/**
 * Verifies a credential as its issuer hands it out: signature by its issuer's key, times, disclosures, status read live. Whether
 * its issuer is trusted is for the caller to decide.
 *
 * @param work pays for it
 * @param onPassed told each check that it passes
 * @throws CredentialError with the sentence that says what is wrong with it.
 */
export async function checkCredential(
  deps: Deps,
  { verifying }: CredentialFormat,
  compact: string,
  work: Work,
  onPassed: (check: Check) => void = () => {},
): Promise<VerifiedCredential> {
  const verification = startVerification(deps, work)
  const credential = await verifying.verify(compact, { ...verifyOptions(verification), onPassed })
  await checkStatus(verification, credential)
  onPassed('revoked')
  return credential
}
