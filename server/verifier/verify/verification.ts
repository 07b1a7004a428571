import type { Config } from '../../config/config.js'
import { RemoteDids } from '../../dids/remote-dids.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { CredentialFormat } from '../../formats/format.js'
import type { VerifiedCredential } from '../../formats/verifying.js'
import type { Check, ResolveIssuerKey } from '../../protocol/credential/verification.js'
import type { Work } from '../../protocol/work.js'
import { createFetches, type FetchesPorts, type VerificationFetches } from './fetches.js'
import { createIssuerKeys, type IssuerKeysPorts } from './issuer-keys.js'
import { createStatusChecks, type StatusPorts } from './status.js'

/** One verification, of one credential or of several: one moment, one budget of fetches, four DIDs of other hosts. */
export interface Verification {
  readonly now: Date
  /** What all checks of it may cost together. */
  readonly work: Work
  readonly fetches: Pick<VerificationFetches, 'fetchTypeMetadata' | 'resolveDid'>
  readonly resolveIssuerKey: ResolveIssuerKey
  /** By the chain in `x5c` alone, which fetches nothing. */
  readonly resolveCertifiedKey: ResolveIssuerKey
  /** Whether there are trust anchors that such a chain may lead to. */
  readonly isAnchored: boolean
  /** Names that `alg` of credentials and holders' proofs may have; those of every supported algorithm unless given. */
  readonly algorithms: readonly string[] | undefined
  /**
   * Checks every status entry of a verified credential, live.
   *
   * @throws CredentialError `Credential has been revoked.`, `Credential has been suspended.`, or why the status cannot be had.
   */
  readonly checkStatus: (credential: Pick<VerifiedCredential, 'status' | 'issuerKey'>) => Promise<void>
}

/** What a profile narrows. */
export interface Narrowing {
  /**
   * Whether keys are found by `x5c` chains to trust anchors and in no other way, those of status lists too (HAIP 1.0 §6.1,
   * §6.1.1); false unless given.
   */
  readonly certifiedOnly?: boolean
  /** As in {@link Verification}. */
  readonly algorithms?: readonly string[] | undefined
}

const LEEWAY_SECONDS = 60

/** What finding a key and verifying with it costs, the proof of the holder included. */
const UNITS_OF_A_SIGNATURE = 10_000
/** What parsing and verifying one certificate of an `x5c` costs, charged where the chain is known as well. */
const UNITS_OF_A_CERTIFICATE = 6_000

/**
 * What the credential formats take from a verification.
 *
 * @param resolveIssuerKey the verification's own, or one that finds the keys of trusted issuers alone
 */
export const verifyOptions = (
  { now, algorithms, work }: Pick<Verification, 'now' | 'algorithms' | 'work'>,
  resolveIssuerKey: ResolveIssuerKey,
) => ({ resolveIssuerKey, now, leewaySeconds: LEEWAY_SECONDS, algorithms, work })

/** What {@link createVerifications} is made of. */
export interface VerificationsPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'allowInsecureHttp' | 'trustAnchors' | 'statusTrustAnchors'>
  readonly clock: () => Date
  readonly outbound: FetchesPorts['outbound']
  readonly resolver: DidResolver
  /** Reads the keys of this service as an issuer from the database. */
  readonly ownKeySet: IssuerKeysPorts['ownKeySet']
  /** An entry of a status list of this installation, read live. */
  readonly ownStatusEntry: StatusPorts['ownEntry']
}

export type Verifications = ReturnType<typeof createVerifications>

/** Verifications of credentials: signatures by their issuers' keys, and statuses. Whom to trust is for their callers to say. */
export function createVerifications({
  config,
  clock,
  outbound,
  resolver,
  ownKeySet,
  ownStatusEntry,
}: VerificationsPorts) {
  const fetchesOf = createFetches({ outbound, resolver })
  const issuerKeys = createIssuerKeys({ config, ownKeySet })
  const statuses = createStatusChecks({ config, ownEntry: ownStatusEntry })

  /**
   * Begins a verification.
   *
   * @param work pays for each credential and status list whose signature is verified, and for each certificate that came with it
   */
  const start = (work: Work, { certifiedOnly = false, algorithms }: Narrowing = {}): Verification => {
    const now = clock()
    const remote = new RemoteDids()
    const fetches = fetchesOf((did) => remote.admit(did))
    const paid =
      (resolve: ResolveIssuerKey): ResolveIssuerKey =>
      (header, payload, what) => {
        const certificates = Array.isArray(header.x5c) ? header.x5c.length : 0
        work.spend(UNITS_OF_A_SIGNATURE + UNITS_OF_A_CERTIFICATE * certificates)
        return resolve(header, payload, what)
      }
    const resolveCertifiedKey = paid(issuerKeys.certified(now, { withoutRoots: certifiedOnly }))
    const resolveIssuerKey = certifiedOnly ? resolveCertifiedKey : paid(issuerKeys.any(fetches, now))
    const reading = { fetches, resolveIssuerKey, now, certifiedOnly, work }
    return {
      now,
      work,
      fetches,
      resolveIssuerKey,
      resolveCertifiedKey,
      isAnchored: config.trustAnchors.length > 0,
      algorithms,
      checkStatus: ({ status, issuerKey }) => statuses.assertNotRevoked(reading, status, issuerKey),
    }
  }

  return {
    start,

    /**
     * Verifies a credential as its issuer hands it out: signature by its issuer's key, times, disclosures, status read live.
     * Whether its issuer is trusted is for the caller to decide.
     *
     * @param work pays for it
     * @param onPassed told each check that it passes
     * @throws CredentialError with the sentence that says what is wrong with it.
     */
    async check(
      { verifying }: Pick<CredentialFormat, 'verifying'>,
      compact: string,
      work: Work,
      onPassed: (check: Check) => void = () => {},
    ): Promise<VerifiedCredential> {
      const verification = start(work)
      const options = verifyOptions(verification, verification.resolveIssuerKey)
      const credential = await verifying.verify(compact, { ...options, onPassed })
      await verification.checkStatus(credential)
      onPassed('revoked')
      return credential
    },

    /** Fetches of a verification, or of a reading of statuses, of its own. */
    fetches: fetchesOf,

    /** Finds issuers' keys: DIDs through the resolver, metadata of https issuers (our own without HTTP), `x5c` chains. */
    issuerKeyResolution: issuerKeys.any,

    /**
     * What the status entries of a verified credential say: the first that is not `valid`.
     *
     * @throws CredentialError where one cannot be had.
     */
    readStatus: statuses.read,
  }
}
