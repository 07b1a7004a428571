import type { SignatureAlgorithm } from '../../../protocol/jose/algorithms.js'
import type { Jwk } from '../../../protocol/jose/jwk.js'

/** The settings with which the process opens its token. They are the first message, so that the PIN is in no process list. */
export interface Opening {
  readonly module: string
  readonly tokenLabel: string | undefined
  readonly tokenSerial: string | undefined
  readonly sessions: number
  readonly pin: string
}

export interface FoundKey {
  readonly reference: string
  readonly alg: SignatureAlgorithm
  readonly publicJwk: Jwk
}

/** The calls to the process, each with its result. */
export interface Calls {
  open: { readonly given: Opening; readonly result: { readonly algorithms: readonly SignatureAlgorithm[] } }
  generate: { readonly given: { readonly label: string; readonly alg: SignatureAlgorithm }; readonly result: FoundKey }
  find: { readonly given: { readonly reference: string }; readonly result: FoundKey }
  /** `data` is the hash for ECDSA, and the whole data for EdDSA. */
  sign: {
    readonly given: { readonly reference: string; readonly alg: SignatureAlgorithm; readonly data: Uint8Array }
    readonly result: Uint8Array
  }
  /** `place` is the additional authenticated data. */
  wrap: {
    readonly given: { readonly reference: string; readonly key: Uint8Array; readonly place: string }
    readonly result: Uint8Array
  }
  unwrap: {
    readonly given: { readonly reference: string; readonly wrapped: Uint8Array; readonly place: string }
    readonly result: Uint8Array
  }
  check: { readonly given: Record<string, never>; readonly result: null }
}

export type Call = keyof Calls

/** A call to the process. */
export type Question = {
  readonly [Name in Call]: { readonly id: number; readonly call: Name; readonly given: Calls[Name]['given'] }
}[Call]

/**
 * The answer of the process. `refused`: the token said no, and would say no again. `broken`: the token cannot be used in
 * this process any more. `away`: the call failed, and the process can be used further.
 */
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: 'refused' | 'broken' | 'away'; readonly reason: string }
