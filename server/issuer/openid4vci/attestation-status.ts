import type { Deps } from '../../deps.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { AttestationError, type Attester, attesterOf } from '../../protocol/openid4vci/attester.js'
import { MAX_STATUS_LIST_BYTES } from '../../protocol/status-list/compression.js'
import { type CredentialStatus, checkForeignStatus } from '../../protocol/status-list/foreign-status.js'

/** An attestation that is verified but for its status. */
export interface AttestationWithStatus {
  /** `status` as it came; undefined where there is none. */
  readonly status: unknown
  readonly attester: Attester
}

type Reading = Pick<Deps, 'config' | 'outbound'>

/** Reads a list that is of the attester itself, or certified as attesters are. */
async function readStatus(
  deps: Reading,
  reference: { readonly uri: string; readonly idx: number },
  { jwk, iss = '' }: Attester,
  now: Date,
): Promise<CredentialStatus> {
  const { attestationTrust: trust } = deps.config
  const fetchText = async (url: string, accept: string) =>
    (await deps.outbound.fetchText(url, { accept, maxBytes: MAX_STATUS_LIST_BYTES })).text
  const resolveIssuerKey = async (header: JsonObject, payload: JsonObject) => {
    const attester = attesterOf(header, payload, trust, now)
    return { jwk: attester.jwk, issuer: attester.iss ?? '' }
  }
  const source = { now, fetchText, resolveIssuerKey, trustAnchors: trust.trustAnchors }
  return checkForeignStatus(source, reference, { jwk, issuer: iss })
}

/**
 * Where an attestation names a status, it must be valid (Token Status List §6.2, §8.3). The list is fetched each time.
 *
 * @param what it is: `wallet attestation` or `key attestation`
 * @param admit is asked before it is fetched, and may refuse that
 * @throws AttestationError
 */
export async function assertAttestationStatus(
  deps: Reading,
  { status, attester }: AttestationWithStatus,
  what: string,
  now: Date,
  admit?: () => Promise<void>,
): Promise<void> {
  if (status === undefined) return
  const list = isObject(status) ? status.status_list : undefined
  if (!isObject(list) || typeof list.uri !== 'string' || !Number.isSafeInteger(list.idx) || Number(list.idx) < 0)
    throw new AttestationError(`The status of the ${what} is of no kind that is known.`)
  await admit?.()
  const state = await readStatus(deps, { uri: list.uri, idx: Number(list.idx) }, attester, now).catch((cause) => {
    if (!(cause instanceof CredentialError || cause instanceof AttestationError)) throw cause
    throw new AttestationError(`The status of the ${what} cannot be had: ${cause.message}`, { cause })
  })
  if (state !== 'valid') throw new AttestationError(`The ${what} is not valid any more.`)
}
