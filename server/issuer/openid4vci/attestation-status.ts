import type { Config } from '../../config/config.js'
import type { Outbound } from '../../outbound/guard.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import type { AttestationKind, AttestationStatus } from '../../protocol/openid4vci/attestation-statuses.js'
import { AttestationError, type Attester, attesterOf } from '../../protocol/openid4vci/attester.js'
import { MAX_STATUS_LIST_BYTES } from '../../protocol/status-list/compression.js'
import {
  checkForeignStatus,
  readForeignTokenList,
  type StatusSource,
} from '../../protocol/status-list/foreign-status.js'
import type { TokenStatusReader } from '../../protocol/status-list/token-status-list.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'

/** An attestation that is verified except for its statuses. */
export interface AttestationWithStatus {
  readonly statuses: readonly AttestationStatus[]
  readonly attester: Attester
}

const MAX_LISTS = 4

const isWhyNot = (cause: unknown): cause is Error =>
  cause instanceof CredentialError || cause instanceof AttestationError || cause instanceof WorkExceededError

/** Dependencies of {@link createAttestationStatuses}. */
export interface AttestationStatusesPorts {
  readonly config: Pick<Config, 'attestationTrust'>
  readonly outbound: Pick<Outbound, 'fetchText'>
}

/** Checks the statuses of the attestations of one request. */
export interface AttestationStatuses {
  /**
   * Checks that all statuses that an attestation names are valid (Token Status List §6.2, §8.3).
   *
   * @param admit is called before the first status list is fetched, and may throw to prevent the fetch
   * @throws AttestationError
   */
  assertValid(attestation: AttestationWithStatus, what: AttestationKind, admit?: () => Promise<void>): Promise<void>
}

/** Makes the status check of one request. @param work the request's budget */
export type AttestationStatusesOf = (work: Work, now: Date) => AttestationStatuses

/** A status list that is signed by the attester itself, or by a signer that is trusted in the same way as attesters. */
function sourceOf(
  { attestationTrust: trust }: Pick<Config, 'attestationTrust'>,
  fetchText: StatusSource['fetchText'],
  what: string,
  now: Date,
): StatusSource {
  const resolveIssuerKey = async (header: JsonObject, payload: JsonObject) => {
    const attester = attesterOf(header, payload, trust, now, `status list of the ${what}`)
    return { jwk: attester.jwk, issuer: attester.iss ?? '' }
  }
  return { now, fetchText, resolveIssuerKey, trustAnchors: trust.trustAnchors, lists: trust.statusLists }
}

/**
 * The status lists of the attestations of one request. At most four are fetched, each once. The lists are read within
 * the request's budget and not kept for other requests.
 */
export function createAttestationStatuses({ config, outbound }: AttestationStatusesPorts): AttestationStatusesOf {
  return (work, now) => {
    const lists = new Map<string, Promise<string>>()

    const fetchText = (url: string, accept: string): Promise<string> => {
      const known = lists.get(url)
      if (known !== undefined) return known
      if (lists.size >= MAX_LISTS)
        throw new AttestationError(`More than ${MAX_LISTS} status lists would have to be fetched.`)
      const text = outbound.fetchText(url, { accept, maxBytes: MAX_STATUS_LIST_BYTES }).then((answer) => answer.text)
      lists.set(url, text)
      return text
    }

    return {
      async assertValid({ statuses, attester: { jwk, iss = '' } }, what, admit) {
        if (statuses.length === 0) return
        await admit?.()
        const source = { ...sourceOf(config, fetchText, what, now), work }
        for (const { uri, idx } of statuses) {
          const state = await checkForeignStatus(source, { uri, idx }, { jwk, issuer: iss }).catch((cause) => {
            if (!isWhyNot(cause)) throw cause
            throw new AttestationError(`The status of the ${what} cannot be read: ${cause.message}`, { cause })
          })
          if (state !== 'valid') throw new AttestationError(`The ${what} is no longer valid.`)
        }
      },
    }
  }
}

/** A list, and the signer of the attestations that name it. */
export interface AttestationList {
  readonly uri: string
  readonly jwk: Jwk
  readonly iss: string | null
}

/**
 * Reads a status list outside a request, with the checks of an issuance.
 *
 * @param fetched the texts by address, so that an address is fetched once for several signers
 * @throws CredentialError, AttestationError
 */
export type ReadAttestationList = (
  list: AttestationList,
  fetched: Map<string, Promise<string>>,
  now: Date,
) => Promise<TokenStatusReader>

export const createReadAttestationList =
  ({ config, outbound }: AttestationStatusesPorts): ReadAttestationList =>
  ({ uri, jwk, iss }, fetched, now) => {
    const fetchText = (url: string, accept: string): Promise<string> => {
      const known = fetched.get(url)
      if (known !== undefined) return known
      const text = outbound.fetchText(url, { accept, maxBytes: MAX_STATUS_LIST_BYTES }).then((answer) => answer.text)
      fetched.set(url, text)
      return text
    }
    const source = sourceOf(config, fetchText, 'attestation', now)
    return readForeignTokenList(source, uri, { jwk, issuer: iss ?? '' })
  }
