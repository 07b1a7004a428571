import { isObject, type JsonObject } from '../json/json-object.js'
import { AttestationError } from './attester.js'

export type AttestationKind = 'wallet attestation' | 'key attestation'

/** A position of an attestation in a Token Status List. */
export interface AttestationStatus {
  readonly uri: string
  readonly idx: number
  /** When the provider stops to maintain the status; undefined if the attestation does not say it. */
  readonly until?: Date
  /** Whether the position is to be looked at again after the issuance. */
  readonly isLasting: boolean
}

/**
 * The members of the EU's TS3 v1.5 (§2.3.1, §2.3.2) for the state of the wallet instance or of the key storage. It outlives the
 * attestation, whose own state is in `status`.
 */
const LASTING: Readonly<Record<AttestationKind, string>> = {
  'wallet attestation': 'client_status',
  'key attestation': 'key_storage_status',
}

const MAX_URI_LENGTH = 2_048
const MAX_INDEX = 2_147_483_647
/** 1 January of the year 10,000, in seconds: no provider maintains a status longer. */
const MAX_SECONDS = 253_402_300_800

function placeIn(status: unknown, name: string, what: AttestationKind): { readonly uri: string; readonly idx: number } {
  const list = isObject(status) ? status.status_list : undefined
  const { uri, idx }: JsonObject = isObject(list) ? list : {}
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH || !Number.isSafeInteger(idx))
    throw new AttestationError(`The ${name} of the ${what} is of an unknown kind.`)
  const index = Number(idx)
  if (index < 0 || index > MAX_INDEX) throw new AttestationError(`The ${name} of the ${what} has no valid idx.`)
  return { uri, idx: index }
}

function lastingStatus(value: unknown, name: string, what: AttestationKind): AttestationStatus {
  if (!isObject(value)) throw new AttestationError(`The ${name} of the ${what} must be an object.`)
  const { status, exp } = value
  const place = placeIn(status, name, what)
  if (exp === undefined) return { ...place, isLasting: true }
  if (typeof exp !== 'number' || !(exp >= 0 && exp < MAX_SECONDS))
    throw new AttestationError(`The exp in the ${name} of the ${what} must be a NumericDate.`)
  return { ...place, until: new Date(exp * 1000), isLasting: true }
}

/**
 * The positions of an attestation in status lists: `status` (OpenID4VCI 1.0 Appendix D.1, E), and `client_status` or
 * `key_storage_status` (TS3 v1.5). If an attestation has a member of TS3, `status` is not looked at again. The provider
 * maintains `status` only as long as the attestation is valid.
 *
 * @throws AttestationError for a status of an unknown kind
 */
export function attestationStatuses(payload: JsonObject, what: AttestationKind): readonly AttestationStatus[] {
  const name = LASTING[what]
  const { status, [name]: lasting } = payload
  const own = status === undefined ? undefined : placeIn(status, 'status', what)
  if (lasting === undefined) return own === undefined ? [] : [{ ...own, isLasting: true }]
  const watched = lastingStatus(lasting, name, what)
  const isSame = own === undefined || (own.uri === watched.uri && own.idx === watched.idx)
  return isSame ? [watched] : [{ ...own, isLasting: false }, watched]
}
