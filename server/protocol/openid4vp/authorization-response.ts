import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Jwk } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { decryptResponse } from './response-encryption.js'
import { ResponseError } from './response-error.js'

/**
 * Parameters of a form POST to the response endpoint (OpenID4VP 1.0 §8.2, §8.3.1, §8.5); other parameters are ignored.
 */
export const zAuthorizationResponse = z.object({
  response: z.string().optional().meta({ description: 'JWE with the other parameters, for direct_post.jwt.' }),
  vp_token: z.string().optional().meta({
    description: 'JSON object of arrays of presentations; to a request of a draft as the draft has it.',
  }),
  presentation_submission: z.string().optional().meta({
    description:
      'To a request of profile `draft21` alone: which presentation is for which input descriptor, a JSON object.',
  }),
  state: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
})
export type AuthorizationResponse = z.infer<typeof zAuthorizationResponse>

/** `vp_token` (§8.1): presentations by the id of the credential query that they answer. */
export type VpToken = ReadonlyMap<string, readonly (string | JsonObject)[]>

/** The presentations of an answer. */
export interface Presentations {
  readonly vpToken: VpToken
  /**
   * For each presentation, in the same order: the position of the chosen credential within the presentation, or
   * undefined for all credentials of the presentation.
   */
  readonly selected?: ReadonlyMap<string, readonly (number | undefined)[]>
}

/** Answer of a wallet to a request. */
export type WalletAnswer =
  | { readonly kind: 'error'; readonly error: string; readonly description: string | undefined }
  | ({ readonly kind: 'presentations' } & Presentations)

/**
 * Reads presentations from the parameters of an answer. `vp_token` is parsed JSON, or text that is not parsed yet.
 * @throws ResponseError
 */
export type ReadPresentations = (parameters: JsonObject) => Presentations

/** Values of a request that only this service and the wallet that fetched the request know. */
export interface RequestSecrets {
  readonly state: string
  /** The private key that decrypts the answer, if the response mode requires encryption. */
  readonly encryptionKey?: Jwk | undefined
}

/**
 * Reads the answer to a request.
 *
 * @param read reads the presentations of the answer; by default as in 1.0, while a request of a draft needs its own
 * function
 * @throws ResponseError for a missing or foreign `state`, an answer that is not encrypted as requested or does not
 * decrypt, and a vp_token that is missing or malformed.
 */
export function readAuthorizationResponse(
  form: AuthorizationResponse,
  { state, encryptionKey }: RequestSecrets,
  read: ReadPresentations = readPresentations,
): WalletAnswer {
  const parameters = opened(form, encryptionKey)
  checkState(parameters.state, state)
  const { vp_token: vpToken } = form
  const clear = encryptionKey === undefined && vpToken !== undefined
  return answerIn(clear ? { ...form, vp_token: jsonOrText(vpToken) } : parameters, read)
}

/**
 * Reads the parameters of an answer that a browser delivered. Such an answer has no `state`.
 *
 * @throws ResponseError like `readAuthorizationResponse`.
 */
export const readParameters = (parameters: JsonObject, encryptionKey: Jwk | undefined): WalletAnswer =>
  answerIn(opened(parameters, encryptionKey), readPresentations)

function answerIn(parameters: JsonObject, read: ReadPresentations): WalletAnswer {
  const { error, error_description: description } = parameters
  if (error === undefined) return { kind: 'presentations', ...read(parameters) }
  if (typeof error !== 'string') throw new ResponseError('Parameter error is not a string.')
  return { kind: 'error', error, description: typeof description === 'string' ? description : undefined }
}

/** §8.1: entries are arrays of strings or objects, even for a single presentation. */
export const readPresentations: ReadPresentations = ({ vp_token: sent }) => ({
  vpToken: new Map(Object.entries(entriesOf(sent)).map(([id, presentations]) => [id, readEntry(presentations)])),
})

/** The sent parameters, or the parameters in the JWE of `response`. */
function opened(sent: JsonObject, encryptionKey: Jwk | undefined): JsonObject {
  const { response } = sent
  if (encryptionKey !== undefined) {
    if (typeof response === 'string') return decryptResponse(response, encryptionKey)
    // §8.3.1: a wallet that cannot encrypt may send an error without encryption, and nothing else.
    if (response === undefined && sent.error !== undefined && sent.vp_token === undefined) return sent
    throw new ResponseError('Parameter response is missing: the request asks for an encrypted answer.')
  }
  if (response !== undefined) throw new ResponseError('Response is encrypted, which the request does not ask for.')
  return sent
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function checkState(sent: unknown, state: string): void {
  if (sent === undefined) throw new ResponseError('Parameter state is missing.')
  if (typeof sent !== 'string') throw new ResponseError('Parameter state is not a string.')
  const [actual, expected] = [Buffer.from(sent), Buffer.from(state)]
  // §14.3.2
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) {
    throw new ResponseError('Parameter state is not that of the request.')
  }
}

/** The entries of a vp_token. @throws ResponseError */
export function entriesOf(sent: unknown): JsonObject {
  if (sent === undefined) throw new ResponseError('Parameter vp_token is missing.')
  if (!isObject(sent)) throw new ResponseError('Parameter vp_token is not a JSON object of arrays.')
  return sent
}

function readEntry(presentations: unknown): readonly (string | JsonObject)[] {
  if (typeof presentations === 'string') {
    throw new ResponseError('Parameter vp_token holds a single presentation where an array of them is due.')
  }
  if (!Array.isArray(presentations)) throw new ResponseError('Parameter vp_token is not a JSON object of arrays.')
  return presentations.map((presentation: unknown) => {
    if (typeof presentation === 'string' || isObject(presentation)) return presentation
    throw new ResponseError('Parameter vp_token holds a presentation that is neither string nor object.')
  })
}
