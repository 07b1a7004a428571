import { type Config, certifiesIssuers } from '../../config/config.js'
import { RemoteDids } from '../../dids/remote-dids.js'
import type { TimedDidResolver } from '../../dids/resolver.js'
import type { CredentialFormat } from '../../formats/format.js'
import type { VerifiedCredential } from '../../formats/verifying.js'
import type { Check, ResolveIssuerKey } from '../../protocol/credential/verification.js'
import type { Work } from '../../protocol/work.js'
import { createFetches, type FetchesPorts, type VerificationFetches } from './fetches.js'
import { createIssuerKeys, type IssuerKeysPorts, typesOf } from './issuer-keys.js'
import { namingSigner } from './name-signer.js'
import { type Recorder, recordedFetches } from './recorder.js'
import { createStatusChecks, type StatusPorts } from './status.js'

/**
 * One verification of one or several credentials. It has one time, one budget for fetches, and at most four DIDs on
 * other hosts.
 */
export interface Verification {
  readonly now: Date
  /** Budget for all checks of this verification. */
  readonly work: Work
  readonly fetches: Pick<VerificationFetches, 'fetchTypeMetadata' | 'resolveDid'>
  readonly resolveIssuerKey: ResolveIssuerKey
  /** Finds the key by the chain in `x5c` only, without a fetch. */
  readonly resolveCertifiedKey: ResolveIssuerKey
  /** Whether this installation has trust anchors or trusted lists. */
  readonly isAnchored: boolean
  /** Accepted values of `alg` in credentials and holders' proofs. Default: all supported algorithms. */
  readonly algorithms: readonly string[] | undefined
  /**
   * Checks the current status in every status entry of a verified credential.
   *
   * @throws CredentialError `Credential has been revoked.`, `Credential has been suspended.`, or why the status cannot be read.
   */
  readonly checkStatus: (credential: Pick<VerifiedCredential, 'status' | 'issuerKey'>) => Promise<void>
}

/** Restrictions that a profile sets. */
export interface Narrowing {
  /**
   * Whether keys of issuers and status lists are found only by `x5c` chains to trust anchors (HAIP 1.0 §6.1, §6.1.1). Default:
   * false.
   */
  readonly certifiedOnly?: boolean
  /** As in {@link Verification}. */
  readonly algorithms?: readonly string[] | undefined
  /** Notes what the verification reads and finds, if evidence is kept. */
  readonly recorder?: Recorder | undefined
}

export const LEEWAY_SECONDS = 60

/** Cost of finding a key and verifying a signature with it, including the holder's proof. */
const UNITS_OF_A_SIGNATURE = 10_000
/** Cost of parsing and verifying one certificate of an `x5c`, also if the chain is known. */
const UNITS_OF_A_CERTIFICATE = 6_000

/**
 * The options of a verification for the credential formats.
 *
 * @param resolveIssuerKey the verification's own resolver, or a resolver that finds only keys of trusted issuers
 */
export const verifyOptions = (
  { now, algorithms, work }: Pick<Verification, 'now' | 'algorithms' | 'work'>,
  resolveIssuerKey: ResolveIssuerKey,
) => ({ resolveIssuerKey, now, leewaySeconds: LEEWAY_SECONDS, algorithms, work })

/** Dependencies of {@link createVerifications}. */
export interface VerificationsPorts {
  readonly config: Pick<
    Config,
    'issuerBaseUrl' | 'allowInsecureHttp' | 'trustAnchors' | 'statusTrustAnchors' | 'listed'
  >
  readonly clock: () => Date
  readonly outbound: FetchesPorts['outbound']
  readonly resolver: TimedDidResolver
  /** Reads the keys of this service as an issuer from the database. */
  readonly ownKeySet: IssuerKeysPorts['ownKeySet']
  /** Reads the own keys that have a certificate. */
  readonly ownCertifiedKeys: IssuerKeysPorts['ownCertifiedKeys']
  /** Reads an entry of a status list of this installation from the database. */
  readonly ownStatusEntry: StatusPorts['ownEntry']
  /** Publishes a status list of this installation. */
  readonly publishOwnList: StatusPorts['publishOwn']
}

export type Verifications = ReturnType<typeof createVerifications>

/** Verifies credentials: their issuers' signatures and their status. Callers decide which issuers are trusted. */
export function createVerifications({
  config,
  clock,
  outbound,
  resolver,
  ownKeySet,
  ownCertifiedKeys,
  ownStatusEntry,
  publishOwnList,
}: VerificationsPorts) {
  const fetchesOf = createFetches({ outbound, resolver })
  const issuerKeys = createIssuerKeys({ config, ownKeySet, ownCertifiedKeys })
  const statuses = createStatusChecks({ config, ownEntry: ownStatusEntry, publishOwn: publishOwnList })

  /**
   * Begins a verification.
   *
   * @param work the budget for each verified signature of a credential or status list, and for each certificate sent with it
   */
  const start = (work: Work, { certifiedOnly = false, algorithms, recorder }: Narrowing = {}): Verification => {
    const now = clock()
    const remote = new RemoteDids()
    const started = fetchesOf((did) => remote.admit(did))
    const fetches = recorder === undefined ? started : recordedFetches(started, recorder)
    const anchors = {
      trustAnchors: config.trustAnchors,
      lists: config.listed?.credentials,
      now,
      withoutRoots: certifiedOnly,
    }
    const paid =
      (resolve: ResolveIssuerKey): ResolveIssuerKey =>
      async (header, payload, what) => {
        const certificates = Array.isArray(header.x5c) ? header.x5c.length : 0
        work.spend(UNITS_OF_A_SIGNATURE + UNITS_OF_A_CERTIFICATE * certificates)
        const found = await resolve(header, payload, what)
        recorder?.found(what ?? 'Credential', found, header.x5c, { ...anchors, types: typesOf(payload) })
        return found
      }
    const resolveCertifiedKey = paid(issuerKeys.certified(now, { withoutRoots: certifiedOnly }))
    const resolveIssuerKey = certifiedOnly ? resolveCertifiedKey : paid(issuerKeys.any(fetches, now, recorder))
    const reading = { fetches, resolveIssuerKey, now, certifiedOnly, work, recorder }
    return {
      now,
      work,
      fetches,
      resolveIssuerKey,
      resolveCertifiedKey,
      isAnchored: certifiesIssuers(config),
      algorithms,
      checkStatus: ({ status, issuerKey }) => statuses.assertNotRevoked(reading, status, issuerKey),
    }
  }

  return {
    start,

    /**
     * Verifies a credential as its issuer issues it: the issuer's signature, times, disclosures, and the current status. The caller
     * decides whether the issuer is trusted.
     *
     * @param work the budget for the verification
     * @param onPassed receives each check that the credential passes
     * @throws CredentialError with the sentence about the failed check.
     */
    async check(
      { verifying }: Pick<CredentialFormat, 'verifying'>,
      compact: string,
      work: Work,
      onPassed: (check: Check) => void = () => {},
    ): Promise<VerifiedCredential> {
      const verification = start(work)
      const options = verifyOptions(verification, namingSigner(verification.resolveIssuerKey))
      const credential = await verifying.verify(compact, { ...options, onPassed })
      await verification.checkStatus(credential)
      onPassed('revoked')
      return credential
    },

    /** Begins separate fetches for a verification or for reading statuses. */
    fetches: fetchesOf,

    /**
     * Finds issuers' keys: by the DID resolver, by the metadata of https issuers, or by `x5c` chains. This service's
     * own metadata are read without HTTP.
     */
    issuerKeyResolution: issuerKeys.any,

    /**
     * Reads the status entries of a verified credential and returns the first status other than `valid`.
     *
     * @throws CredentialError if a status cannot be read.
     */
    readStatus: statuses.read,
  }
}
