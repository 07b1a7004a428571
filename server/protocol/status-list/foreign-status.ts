import type { X509Certificate } from 'node:crypto'
import {
  type BitstringStatusListEntry,
  CredentialError,
  checkTimes,
  DEFAULT_LEEWAY_SECONDS,
  decodeJwt,
  type IssuerKey,
  issuerKeyOf,
  type Jwt,
  mediaTypeOf,
  type ResolveIssuerKey,
  type StatusReference,
  type TokenStatusReference,
  verifyJwtSignature,
} from '../credential/verification.js'
import { isDid } from '../did/did-url.js'
import { IssuerKeyError } from '../issuer-keys/issuer-key-error.js'
import type { ListedEntity, ListedTrust } from '../issuer-keys/listed-trust.js'
import { isAnchored, trustedChain } from '../issuer-keys/trusted-chain.js'
import type { DecodedJws, Jwk } from '../jose/jws.js'
import type { JsonObject } from '../json/json-object.js'
import { checkValidityPeriod } from '../jwt-vc/validity.js'
import { issuerIdOf } from '../jwt-vc/vc.js'
import type { Work } from '../work.js'
import {
  BITSTRING_STATUS_LIST_MEDIA_TYPE,
  BITSTRING_STATUS_LIST_TYP,
  bitstringStatusListOf,
  readBitstringStatus,
} from './bitstring.js'
import { MAX_STATUS_LIST_BYTES } from './compression.js'
import {
  readTokenStatus,
  STATUS_LIST_CWT_MEDIA_TYPE,
  TOKEN_STATUS_LIST_MEDIA_TYPE,
  TOKEN_STATUS_LIST_TYP,
  type TokenStatusReader,
  tokenStatusReader,
} from './token-status-list.js'

export type CredentialStatus = 'valid' | 'revoked' | 'suspended'

export interface StatusSource {
  /**
   * Requests an address with this `Accept` header and returns the text. Any error makes the credential's status
   * unknown.
   */
  readonly fetchText: (url: string, accept: string) => Promise<string>
  /** Requests a list in CWT format and returns its bytes. Without this function, every list is requested as a JWT. */
  readonly fetchBytes?: ((url: string, accept: string) => Promise<Uint8Array>) | undefined
  readonly resolveIssuerKey: ResolveIssuerKey
  /**
   * Trust anchors for the certificate chain of a Token Status List, independent of the credential's issuer. Default:
   * none.
   */
  readonly trustAnchors?: readonly X509Certificate[]
  /** Trusted lists for signers of Token Status Lists. They do not count for an issuer that is on a list itself. */
  readonly lists?: ListedTrust | undefined
  /**
   * Whether the trust anchors count for an issuer that is on a trusted list, too. Otherwise only the same entity may sign the
   * status lists of this issuer. Default: false.
   */
  readonly anchorsForListed?: boolean | undefined
  /** Whether the list's key must have a certificate chain to one of the trust anchors. Default: false. */
  readonly certifiedOnly?: boolean | undefined
  readonly now: Date
  readonly leewaySeconds?: number
  /** The work budget for reading the list. */
  readonly work?: Work | undefined
}

const LIST = 'Status list'

/** Cost of decoding a list and verifying its signature. */
const UNITS_OF_A_CHARACTER = 0.5

/**
 * Reads the status of a verified credential from a status list on the web (Token Status List §8.3, Bitstring Status
 * List v1.0 §3.2). The credential's issuer must have signed the list. A Token Status List may instead be signed with a
 * key whose certificate chain leads to a trust anchor (HAIP 1.0 §6.1). If a trusted list vouches for the issuer, the list must
 * be signed by the same entity of the trusted list (ETSI TS 119 602 Annex D). A bitstring entry is read only if its purpose is
 * revocation or suspension. An entry with any other purpose counts as `valid`, and its list is not fetched.
 *
 * @param issuer the credential's issuer and key from its verification
 * @throws CredentialError if the status cannot be determined; the sentence names the cause.
 */
export async function checkForeignStatus(
  source: StatusSource,
  reference: StatusReference,
  issuer: IssuerKey,
): Promise<CredentialStatus> {
  if ('uri' in reference) return checkTokenStatus(source, reference, issuer)
  if (source.certifiedOnly === true) throw notCertified()
  return checkBitstringStatus(source, reference, issuer)
}

const notCertified = () => new CredentialError(`${LIST} has no certificate chain that leads to a trust anchor.`)

async function checkTokenStatus(source: StatusSource, reference: TokenStatusReference, issuer: IssuerKey) {
  const payload = await verifiedTokenList(source, reference, issuer)
  return tokenStatusOf(readTokenStatus(payload, reference, source.work))
}

/**
 * Reads a Token Status List from the web, with the checks of {@link checkForeignStatus}.
 *
 * @returns a function that reads the statuses of many indices
 * @throws CredentialError if the list cannot be used; the sentence names the cause.
 */
export async function readForeignTokenList(
  source: StatusSource,
  uri: string,
  issuer: IssuerKey,
): Promise<TokenStatusReader> {
  const payload = await verifiedTokenList(source, { uri }, issuer)
  return tokenStatusReader(payload, uri, source.work)
}

/** Fetches a list and verifies its type, times and signature. @returns its payload */
async function verifiedTokenList(
  source: StatusSource,
  reference: Pick<TokenStatusReference, 'uri' | 'asCwt'>,
  issuer: IssuerKey,
): Promise<JsonObject> {
  const list = await tokenList(source, reference)
  const { header, payload } = list
  // Token Status List §5.1, §5.2: `iat` is required.
  if (payload.iat === undefined) throw new CredentialError(`${LIST} has no iat.`)
  checkListTimes(payload, source)
  // HAIP 1.0 §6.1: the status list may have certificates different from the issuer's certificates.
  const { jwk, absent } = certifiedKey(source, header.x5c, issuer)
  if (jwk !== undefined) list.verify(jwk)
  else if (source.certifiedOnly === true && (issuer.listed === undefined || header.x5c === undefined))
    throw notCertified()
  else if (issuer.listed !== undefined) verifyOfEntity(source, list, issuer.listed, issuer)
  else await verifyUnlisted(source, list, issuer, absent)
  return payload
}

/** Checks a list whose chain leads to no anchor. If that fails too, the refusal also names the trusted lists. */
async function verifyUnlisted(
  source: StatusSource,
  list: SignedList,
  issuer: IssuerKey,
  absent: string | undefined,
): Promise<void> {
  try {
    await verifyList(source, list, list.payload.iss, issuer)
  } catch (error) {
    if (absent === undefined || !(error instanceof CredentialError)) throw error
    throw new CredentialError(`${error.message} ${absent}`, { cause: error })
  }
}

async function checkBitstringStatus(source: StatusSource, entry: BitstringStatusListEntry, issuer: IssuerKey) {
  if (entry.statusPurpose !== 'revocation' && entry.statusPurpose !== 'suspension') return 'valid'
  const url = entry.statusListCredential
  const compact = await fetchList(() => source.fetchText(url, BITSTRING_STATUS_LIST_MEDIA_TYPE))
  const jwt = readList(source, compact.trim())
  const { header, payload } = jwt
  const typ = mediaTypeOf(header.typ)
  if (typ !== undefined && typ !== 'jwt' && typ !== BITSTRING_STATUS_LIST_TYP) {
    throw new CredentialError(`${LIST} is not of type vc+jwt.`)
  }
  const list = bitstringStatusListOf(payload)
  checkListTimes(payload, source)
  checkValidityPeriod(list, LIST, source.now, source.leewaySeconds ?? DEFAULT_LEEWAY_SECONDS)
  if (issuer.listed !== undefined) verifyOfEntity(source, asSigned(jwt), issuer.listed, issuer)
  else await verifyList(source, asSigned(jwt), payload.iss ?? issuerIdOf(list), issuer)
  if (readBitstringStatus(payload, entry, source.work) === 0) return 'valid'
  return entry.statusPurpose === 'revocation' ? 'revoked' : 'suspended'
}

/** A list in either format, whose signature is not verified yet. */
interface SignedList extends Jwt {
  /** @throws CredentialError */
  verify(key: Jwk): void
}

const asSigned = (jwt: DecodedJws): SignedList => ({ ...jwt, verify: (key) => verifyJwtSignature(jwt, key, LIST) })

async function tokenList(
  source: StatusSource,
  { uri, asCwt }: Pick<TokenStatusReference, 'uri' | 'asCwt'>,
): Promise<SignedList> {
  const { fetchBytes } = source
  if (asCwt !== true || fetchBytes === undefined) {
    return tokenListJwt(source, await fetchList(() => source.fetchText(uri, TOKEN_STATUS_LIST_MEDIA_TYPE)))
  }
  const { decodeStatusListCwt, verifyStatusListCwt } = await import('../mdoc/status-list-cwt.js')
  const bytes = await fetchList(() => fetchBytes(uri, STATUS_LIST_CWT_MEDIA_TYPE))
  // A JWT is ASCII; the first byte of a CWT is never an ASCII character.
  if ((bytes[0] ?? 0) < 0x80) return tokenListJwt(source, Buffer.from(bytes).toString('latin1'))
  source.work?.spend(bytes.length * UNITS_OF_A_CHARACTER)
  const cwt = decodeStatusListCwt(bytes)
  return { header: cwt.header, payload: cwt.payload, verify: (key) => verifyStatusListCwt(cwt, key) }
}

function tokenListJwt(source: StatusSource, compact: string): SignedList {
  const jwt = readList(source, compact.trim())
  // Token Status List §5.1: `typ` is `statuslist+jwt`.
  if (mediaTypeOf(jwt.header.typ) !== TOKEN_STATUS_LIST_TYP)
    throw new CredentialError(`${LIST} is not of type statuslist+jwt.`)
  return asSigned(jwt)
}

async function fetchList<Fetched>(fetch: () => Promise<Fetched>): Promise<Fetched> {
  try {
    return await fetch()
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new CredentialError(`${LIST} could not be fetched: ${cause}`, { cause: error })
  }
}

function readList({ work }: StatusSource, compact: string): DecodedJws {
  work?.spend(compact.length * UNITS_OF_A_CHARACTER)
  return decodeJwt(compact, LIST, MAX_STATUS_LIST_BYTES)
}

function checkListTimes(payload: JsonObject, source: StatusSource): void {
  checkTimes(payload, LIST, source.now, { past: source.leewaySeconds ?? DEFAULT_LEEWAY_SECONDS, exp: 0 })
}

/**
 * Returns the list's key if a certificate chain to a trust anchor proves it. No key if there is no such chain and no chain is
 * required; then `absent` says on which trusted lists the signer is not, if there are any.
 */
function certifiedKey(
  source: StatusSource,
  x5c: unknown,
  issuer: IssuerKey,
): { readonly jwk?: Jwk; readonly absent?: string } {
  const { certifiedOnly, now, anchorsForListed } = source
  const isListed = issuer.listed !== undefined
  const trustAnchors = isListed && anchorsForListed !== true ? [] : (source.trustAnchors ?? [])
  const lists = isListed ? undefined : source.lists
  if (x5c === undefined || !isAnchored({ trustAnchors, lists })) return {}
  try {
    // HAIP 1.0 §6.1.
    const io = { trustAnchors, lists, now, purpose: 'credential', withoutRoots: certifiedOnly } as const
    return { jwk: trustedChain(x5c, io).jwk }
  } catch (error) {
    if (!(error instanceof IssuerKeyError)) throw error
    if (certifiedOnly === true && !isListed) throw new CredentialError(`${LIST}: ${error.message}`, { cause: error })
    // The issuer may have signed the list with a key that needs no trust anchor. That is checked next.
    return lists?.exists() === true ? { absent: error.message } : {}
  }
}

/**
 * Checks that the list is signed with the key that signed the credential, or by a service of the same entity of a trusted
 * list. A name proves nothing here: another entity of the list may certify the same name. A key at the address of the issuer
 * is not on the list.
 */
function verifyOfEntity(source: StatusSource, list: SignedList, listed: ListedEntity, issuer: IssuerKey): void {
  if (verifiesWith(list, issuer)) return
  if (list.header.x5c === undefined)
    throw new CredentialError(
      `${LIST} is signed with another key than the credential, and has no certificate chain to the list ${listed.list}.`,
    )
  try {
    list.verify(listed.statusSigner(list.header.x5c, { now: source.now, withoutRoots: source.certifiedOnly }))
  } catch (error) {
    if (!(error instanceof IssuerKeyError)) throw error
    throw new CredentialError(`${LIST}: ${error.message}`, { cause: error })
  }
}

/**
 * Checks that the list is signed with the key that signed the credential, or with a different key of the same issuer.
 * The `kid` need not match. If the list names no issuer (Token Status List §5.1), the key must be a key of the
 * credential's issuer.
 */
async function verifyList(source: StatusSource, list: SignedList, iss: unknown, issuer: IssuerKey): Promise<void> {
  if (verifiesWith(list, issuer)) return
  const payload = { ...list.payload, iss: iss ?? issuer.issuer }
  const key = await issuerKeyOf({ header: list.header, payload }, source.resolveIssuerKey, LIST)
  const isSubject = list.header.x5c !== undefined && !isIdentifier(key.issuer)
  if (key.issuer !== issuer.issuer || isSubject)
    throw new CredentialError(`${LIST} is of another issuer than the credential.`)
  list.verify(key.jwk)
}

/**
 * Whether a name identifies exactly one issuer, as a DID or URL does. The subject of a certificate does not: the
 * certificates of two issuers may have the same subject.
 */
const isIdentifier = (issuer: string): boolean => isDid(issuer) || /^https?:/i.test(issuer)

function verifiesWith(list: SignedList, key: IssuerKey): boolean {
  try {
    list.verify(key.jwk)
    return true
  } catch (error) {
    if (error instanceof CredentialError) return false
    throw error
  }
}

/** Token Status List §7.1. A type that is not registered, or application specific, does not count as valid. */
function tokenStatusOf(value: number): CredentialStatus {
  switch (value) {
    case 0:
      return 'valid'
    case 1:
      return 'revoked'
    case 2:
      return 'suspended'
    default:
      throw new CredentialError(`Credential has status ${value}, which does not say that it is valid.`)
  }
}
