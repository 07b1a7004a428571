import type { ListCheck, ListSigner, ReadList, SignatureAnswer, SignerAnswer } from './read-list.js'
import type { TrustList } from './trust-list.js'

/** Thrown inside a reader if the list fails a check. `message` is one sentence for operators. */
export class ListRefusedError extends Error {
  override readonly name = 'ListRefusedError'

  constructor(
    readonly check: ListCheck,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** A fault of the content, with the path of the member that has it. */
export const malformed = (place: string, fault: string, options?: ErrorOptions) =>
  new ListRefusedError('malformed', `The list is malformed: ${place} ${fault}.`, options)

/** What a reader has found out about the signature so far. Both answers stay in the result if a later check fails. */
export interface Progress {
  signature: SignatureAnswer
  trust: SignerAnswer
  signer?: ListSigner
  /** Why the signer is not of the pinned authority. */
  fault?: string
}

/** Runs a reader, and turns a refusal into its answer. Errors of other kinds are faults of the service. */
export async function answered(read: (progress: Progress) => Promise<TrustList> | TrustList): Promise<ReadList> {
  const progress: Progress = { signature: 'not-checked', trust: 'not-checked' }
  try {
    const list = await read(progress)
    const { signature, trust, signer } = progress
    // A reader that returns a list has answered both questions. This is the last line of defence if one forgets to.
    if (signature !== 'valid' || (trust !== 'certificate' && trust !== 'authority') || signer === undefined)
      throw new Error('A list was read without a verdict.')
    return { accepted: true, list, signature, trust, signer }
  } catch (error) {
    if (!(error instanceof ListRefusedError)) throw error
    const { fault: _, ...answers } = progress
    return { accepted: false, check: error.check, sentence: error.message, ...answers }
  }
}
