import { createHmac } from 'node:crypto'
import { secretKey } from '../protocol/jose/secret-key.js'

/** Sorts the members of each object, because their order does not matter when two inputs are compared. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** The keyed hashes that a request with a key is stored under, base64url. */
export interface Hashes {
  readonly caller: string
  readonly id: string
  readonly request: string
}

/** A request with a key. */
export interface KeyedRequest {
  readonly key: string
  /** Names of the caller. A caller with a token and the client secret has two. */
  readonly caller: readonly string[]
  /** The name of the operation, the same in REST and in RPC. */
  readonly operation: string
  /** The validated input. */
  readonly input: unknown
}

/** @param secret an installation's own key: without it, nobody can compute the hash of a guessed input */
export function createHashes(secret: Uint8Array): (request: KeyedRequest) => Hashes {
  const key = secretKey(secret)
  const hash = (...parts: readonly unknown[]): string =>
    createHmac('sha256', key).update(JSON.stringify(parts, sorted)).digest('base64url')
  return ({ key: sent, caller, operation, input }) => ({
    caller: hash('caller', caller),
    id: hash('key', caller, sent),
    request: hash('request', operation, input),
  })
}
