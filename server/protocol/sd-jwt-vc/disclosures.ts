import { CredentialError, MAX_DEPTH } from '../credential/verification.js'
import { decodeBase64url } from '../jose/base64url.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { digestOf } from './hash.js'
import { NEVER_DISCLOSED, SD_JWT_NAMES } from './registered-claims.js'

/** The path of a claim in the processed payload: names of members, and positions in arrays. */
export type ClaimPath = readonly (string | number)[]

/** A claim from a Disclosure. */
export interface DisclosedClaim {
  readonly path: ClaimPath
  readonly value: unknown
  /** The Disclosure in its compact form, unchanged. */
  readonly disclosure: string
}

/** The Processed SD-JWT Payload (RFC 9901 §7.1): it contains every disclosed claim, and no digests. */
export interface ProcessedPayload {
  readonly claims: JsonObject
  /**
   * Like `claims`, but with undefined for each array element without a Disclosure. So queries can select elements by
   * their index. `claims` itself if there is no such element.
   */
  readonly placedClaims: JsonObject
  /** In the order of processing: a claim inside a disclosed claim comes after that claim. */
  readonly disclosed: readonly DisclosedClaim[]
}

interface Disclosure {
  readonly encoded: string
  /** The name of the claim. Absent for an array element. */
  readonly name?: string
  readonly value: unknown
}

/**
 * Puts Disclosures into a payload whose signature was checked (RFC 9901 §7.1, steps 3 to 5). The rules of an SD-JWT VC apply: some of
 * its claims are never disclosed.
 *
 * @throws CredentialError for a malformed, repeated or unreferenced Disclosure, a repeated digest, a claim that would be
 * overwritten, or a claim that must not be disclosed.
 */
export function processDisclosures(payload: JsonObject, encoded: readonly string[]): ProcessedPayload {
  const digest = digestOf(payload)
  const byDigest = new Map(encoded.map((text) => [digest(text), parseDisclosure(text)]))
  if (byDigest.size < encoded.length) throw new CredentialError('Credential brings a disclosure twice.')
  const { _sd_alg, ...signed } = payload
  const walk = new Walk(byDigest)
  const claims = walk.object(signed, [])
  walk.requireAllUsed()
  const placedClaims = walk.withheldElements ? new Walk(byDigest, true).object(signed, []) : claims
  return { claims, placedClaims, disclosed: walk.disclosed }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** RFC 9901 §4.2.1, §4.2.2: base64url of [salt, name, value] or [salt, value]. */
function parseDisclosure(encoded: string): Disclosure {
  const parts = jsonOf(encoded)
  if (!Array.isArray(parts) || typeof parts[0] !== 'string') throw malformed()
  if (parts.length === 2) return { encoded, value: parts[1] }
  const name: unknown = parts[1]
  if (parts.length !== 3 || typeof name !== 'string') throw malformed()
  return { encoded, name, value: parts[2] }
}

function jsonOf(encoded: string): unknown {
  const octets = decodeBase64url(encoded)
  if (octets === undefined || octets.length === 0) throw malformed()
  try {
    return JSON.parse(utf8.decode(octets))
  } catch (error) {
    throw malformed(error)
  }
}

function malformed(cause?: unknown): CredentialError {
  return new CredentialError(
    'Credential holds a disclosure that is not base64url of a JSON array [salt, name, value].',
    { cause },
  )
}

/** Processes a payload and the content of its Disclosures in one pass. */
class Walk {
  readonly disclosed: DisclosedClaim[] = []
  /** Whether an array had an element without a Disclosure. */
  withheldElements = false
  readonly #seen = new Set<string>()
  #used = 0

  constructor(
    private readonly byDigest: ReadonlyMap<string, Disclosure>,
    private readonly keepsPlaces = false,
  ) {}

  object(source: JsonObject, path: ClaimPath): JsonObject {
    const members: [string, unknown][] = []
    for (const [name, value] of Object.entries(source)) {
      if (name === '_sd') continue
      // RFC 9901 §4.1, §4.1.1: at other places these names have no meaning and must not occur.
      if (SD_JWT_NAMES.has(name)) throw new CredentialError(`Credential payload misuses the name "${name}".`)
      members.push([name, this.value(value, [...path, name])])
    }
    if (Object.hasOwn(source, '_sd')) this.#disclosedMembers(source, path, members)
    return Object.fromEntries(members)
  }

  value(value: unknown, path: ClaimPath): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (path.length > MAX_DEPTH) throw new CredentialError(`Credential is nested deeper than ${MAX_DEPTH} levels.`)
    return Array.isArray(value) ? this.#array(value, path) : this.object(value as JsonObject, path)
  }

  requireAllUsed(): void {
    // RFC 9901 §7.1, step 5.
    if (this.#used < this.byDigest.size) {
      throw new CredentialError('Credential brings a disclosure whose digest it does not hold.')
    }
  }

  #disclosedMembers(source: JsonObject, path: ClaimPath, members: [string, unknown][]): void {
    if (!Array.isArray(source._sd)) throw new CredentialError('Credential has an _sd that is not an array of strings.')
    const taken = new Set(Object.keys(source))
    for (const digest of source._sd) {
      const disclosure = this.#take(digest)
      if (disclosure === undefined) continue
      const { name } = disclosure
      // RFC 9901 §7.1, step 3.3.2.
      if (name === undefined) throw new CredentialError('Credential brings an array element where a member is due.')
      if (SD_JWT_NAMES.has(name)) throw new CredentialError(`Credential discloses a claim named "${name}".`)
      if (taken.has(name)) throw new CredentialError(`Credential discloses the claim ${name} that is there already.`)
      taken.add(name)
      members.push([name, this.#disclose(disclosure, [...path, name])])
    }
  }

  #array(source: readonly unknown[], path: ClaimPath): unknown[] {
    const items: unknown[] = []
    for (const item of source) {
      if (!isObject(item) || !Object.hasOwn(item, '...')) {
        items.push(this.value(item, [...path, items.length]))
        continue
      }
      // RFC 9901 §4.2.4.2: there are no other keys in the object.
      if (Object.keys(item).length > 1) throw new CredentialError('Credential payload misuses the name "...".')
      const disclosure = this.#take(item['...'])
      if (disclosure === undefined) {
        this.withheldElements = true
        if (this.keepsPlaces) items.push(undefined)
        continue
      }
      // RFC 9901 §7.1, step 3.3.3.
      if (disclosure.name !== undefined)
        throw new CredentialError('Credential brings a member where an array element is due.')
      items.push(this.#disclose(disclosure, [...path, items.length]))
    }
    return items
  }

  #disclose({ encoded, value }: Disclosure, path: ClaimPath): unknown {
    const [first] = path
    // SD-JWT VC, "Registered JWT Claims".
    if (typeof first === 'string' && NEVER_DISCLOSED.has(first)) {
      throw new CredentialError(`Credential discloses the claim ${first}, which must not be selectively disclosable.`)
    }
    const at = this.disclosed.length
    this.disclosed.push({ path, value: undefined, disclosure: encoded })
    const processed = this.value(value, path)
    this.disclosed[at] = { path, value: processed, disclosure: encoded }
    return processed
  }

  #take(digest: unknown): Disclosure | undefined {
    if (typeof digest !== 'string') throw new CredentialError('Credential holds a digest that is not a string.')
    // RFC 9901 §7.1, step 4: a digest without a Disclosure also occurs only once.
    if (this.#seen.has(digest)) throw new CredentialError('Credential holds a digest more than once.')
    this.#seen.add(digest)
    const disclosure = this.byDigest.get(digest)
    if (disclosure !== undefined) this.#used++
    return disclosure
  }
}
