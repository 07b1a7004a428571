import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Jwk } from '../../../server/protocol/jose/jws.js'
import type { ElementPath } from '../../../server/protocol/mdoc/mdoc.js'

/**
 * The parts of a request that the transcript contains (OpenID4VP 1.0 Appendix B.2.6). The request comes by redirect or
 * over the Digital Credentials API.
 */
export type OwfRequest = { readonly nonce: string; readonly encryptionKey?: Jwk | undefined } & (
  | { readonly clientId: string; readonly responseUri: string }
  | { readonly origin: string }
)

export interface OwfTask {
  /** Presents elements of a document. If a root is given, verifies the document first. */
  readonly hold?: {
    readonly issuerSigned: string
    readonly devicePrivate: Jwk
    readonly doctype: string
    readonly paths: readonly ElementPath[]
    readonly root?: Uint8Array
    readonly now?: Date
  }
  /** Verifies a presentation. */
  readonly verify?: { readonly deviceResponse: string; readonly root: Uint8Array; readonly now: Date }
}

interface Done {
  /** Returns the encoded SessionTranscript that the library makes. */
  readonly transcript: Uint8Array
  readonly presented: string
}

/**
 * @owf/mdoc, the library of Credo, as holder and verifier, in a separate thread. If the library refuses, the functions
 * throw its error.
 */
export async function owf(request: OwfRequest, task: OwfTask): Promise<Done> {
  const { encryptionKey: key, ...named } = request
  const jwkThumbprint = key && Buffer.from(await calculateJwkThumbprint(key as JWK), 'base64url')
  const bound = { ...named, ...(jwkThumbprint === undefined ? {} : { jwkThumbprint }) }
  const worker = new Worker(new URL('owf.mjs', import.meta.url), {
    workerData: { ...task, ...('origin' in request ? { dcApi: bound } : { redirect: bound }) },
  })
  const [answer] = (await once(worker, 'message')) as [Done & { readonly refused?: string }]
  if (answer.refused !== undefined) throw new Error(answer.refused)
  return answer
}
