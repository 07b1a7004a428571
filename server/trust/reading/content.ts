import type { ListCheck, ReadOptions } from '../../protocol/trust-lists/read-list.js'
import type { ListKind, TrustedEntity, TrustList } from '../../protocol/trust-lists/trust-list.js'

/** The content of a list that was read, in a form that threads can send to each other. */
export type ReadContent =
  | { readonly accepted: false; readonly check: ListCheck; readonly sentence: string }
  | { readonly accepted: true; readonly list: TrustList; readonly signer: string }

/** How a list is read: its kind, and the options of the reader. */
export interface ReadJob {
  readonly kind: ListKind
  readonly options: ReadOptions
}

/** Reads a list in this thread. */
export async function readHere(bytes: Uint8Array, { kind, options }: ReadJob): Promise<ReadContent> {
  // Readers load much code, which a service without lists does not need.
  const { kindOf } = await import('../../protocol/trust-lists/registry.js')
  const read = await kindOf(kind).read(bytes, options)
  if (!read.accepted) return { accepted: false, check: read.check, sentence: read.sentence }
  const { list, signer } = read
  return { accepted: true, list, signer: signer.sha256 }
}

/** Messages of the worker: the answer without entities, then the entities in parts, then the end. */
export type WorkerMessage = { readonly id: number } & (
  | { readonly answer: ReadContent }
  | { readonly entities: readonly TrustedEntity[] }
  | { readonly end: true }
  | { readonly fault: string }
)

/** Entities of one message. Each message is decoded at once, and must not block the receiving thread for long. */
export const ENTITIES_IN_MESSAGE = 100
