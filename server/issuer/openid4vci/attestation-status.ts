import type { Config } from '../../config/config.js'
import type { Outbound } from '../../outbound/guard.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { AttestationError, type Attester, attesterOf } from '../../protocol/openid4vci/attester.js'
import { MAX_STATUS_LIST_BYTES } from '../../protocol/status-list/compression.js'
import { type CredentialStatus, checkForeignStatus } from '../../protocol/status-list/foreign-status.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'

/** An attestation that is verified except for its status. */
export interface AttestationWithStatus {
  /** The unchecked `status` claim; undefined if there is none. */
  readonly status: unknown
  readonly attester: Attester
}

interface Reference {
  readonly uri: string
  readonly idx: number
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
   * Checks that the status of an attestation is valid, if it names a status (Token Status List §6.2, §8.3).
   *
   * @param what the kind of attestation: `wallet attestation` or `key attestation`
   * @param admit is called before the status list is fetched, and may throw to prevent the fetch
   * @throws AttestationError
   */
  assertValid(
    attestation: AttestationWithStatus,
    what: 'wallet attestation' | 'key attestation',
    admit?: () => Promise<void>,
  ): Promise<void>
}

/** Makes the status check of one request. @param work the request's budget */
export type AttestationStatusesOf = (work: Work, now: Date) => AttestationStatuses

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

    /** Reads a list that is signed by the attester itself, or by a signer that is trusted in the same way as attesters. */
    const read = (reference: Reference, { jwk, iss = '' }: Attester, what: string): Promise<CredentialStatus> => {
      const { attestationTrust: trust } = config
      const resolveIssuerKey = async (header: JsonObject, payload: JsonObject) => {
        const attester = attesterOf(header, payload, trust, now, `status list of the ${what}`)
        return { jwk: attester.jwk, issuer: attester.iss ?? '' }
      }
      const source = { now, fetchText, resolveIssuerKey, trustAnchors: trust.trustAnchors, work }
      return checkForeignStatus(source, reference, { jwk, issuer: iss })
    }

    return {
      async assertValid({ status, attester }, what, admit) {
        if (status === undefined) return
        const list = isObject(status) ? status.status_list : undefined
        if (!isObject(list) || typeof list.uri !== 'string' || !Number.isSafeInteger(list.idx) || Number(list.idx) < 0)
          throw new AttestationError(`The status of the ${what} is of an unknown kind.`)
        await admit?.()
        const state = await read({ uri: list.uri, idx: Number(list.idx) }, attester, what).catch((cause) => {
          if (!isWhyNot(cause)) throw cause
          throw new AttestationError(`The status of the ${what} cannot be read: ${cause.message}`, { cause })
        })
        if (state !== 'valid') throw new AttestationError(`The ${what} is no longer valid.`)
      },
    }
  }
}
