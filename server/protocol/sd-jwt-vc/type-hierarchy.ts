import { createHash, timingSafeEqual } from 'node:crypto'
import { CredentialError } from '../credential/verification.js'
import { isObject, type JsonObject } from '../json/json-object.js'

/** Maximum number of types from the credential's type up to the requested type, including both. */
const MAX_LEVELS = 5

/** Fetches the type metadata of a type as text; undefined if they are unavailable. */
export type FetchTypeMetadata = (vct: string) => Promise<string | undefined>

/** A reference to a type, with optional integrity metadata. */
interface TypeReference {
  readonly vct: string
  readonly integrity: unknown
}

/**
 * Finds a wanted type that the credential's type extends, directly or through further types (SD-JWT VC, "Extending Type
 * Metadata"). Undefined if no wanted type is found within five levels. Only `extends` is read from the metadata.
 *
 * @param integrity the credential's `vct#integrity`
 * @throws CredentialError for metadata that are malformed, belong to a different type, do not match their `#integrity`,
 * or circular.
 */
export async function extendedType(
  type: TypeReference,
  wanted: readonly string[],
  fetchTypeMetadata: FetchTypeMetadata,
): Promise<string | undefined> {
  const seen = new Set<string>()
  let current: TypeReference | undefined = type
  while (current !== undefined && seen.size < MAX_LEVELS) {
    seen.add(current.vct)
    const text = await fetchTypeMetadata(current.vct)
    if (text === undefined) return undefined
    current = extendedBy(current, text)
    if (current === undefined) return undefined
    if (wanted.includes(current.vct)) return current.vct
    // SD-JWT VC, "Circular extends Dependencies of Types"
    if (seen.has(current.vct)) throw new CredentialError('Credential is of a type that extends itself.')
  }
  return undefined
}

function extendedBy({ vct, integrity }: TypeReference, text: string): TypeReference | undefined {
  if (integrity !== undefined && !isIntact(text, integrity)) {
    throw new CredentialError('Type metadata of the credential are not what their integrity metadata say.')
  }
  const metadata = parsed(text)
  if (metadata.vct !== vct) throw new CredentialError('Type metadata of the credential are those of another type.')
  const { extends: extended } = metadata
  if (extended === undefined) return undefined
  if (typeof extended !== 'string') throw new CredentialError('Type metadata member extends is not a string.')
  return { vct: extended, integrity: metadata['extends#integrity'] }
}

function parsed(text: string): JsonObject {
  try {
    const metadata: unknown = JSON.parse(text)
    if (isObject(metadata)) return metadata
  } catch {
    // No cause is attached: a syntax error quotes the text.
  }
  throw new CredentialError('Type metadata of the credential are no JSON object.')
}

const STRONGEST_FIRST = ['sha512', 'sha384', 'sha256'] as const

/** SD-JWT VC, "Integrity of Referenced Documents": one of the hashes of the strongest known algorithm. */
function isIntact(text: string, integrity: unknown): boolean {
  if (typeof integrity !== 'string') return false
  const hashes = integrity.trim().split(/\s+/)
  const algorithm = STRONGEST_FIRST.find((name) => hashes.some((hash) => hash.startsWith(`${name}-`)))
  if (algorithm === undefined) return false
  const digest = createHash(algorithm).update(text).digest()
  return hashes
    .filter((hash) => hash.startsWith(`${algorithm}-`))
    .map((hash) => Buffer.from(hash.slice(algorithm.length + 1).split('?', 1)[0] ?? '', 'base64'))
    .some((expected) => expected.length === digest.length && timingSafeEqual(expected, digest))
}
