import { type ElementPath, presentMdoc, redirectTranscript } from '../../server/protocol/mdoc/mdoc.js'
import { answered, queried, readRequestObject } from './answer.js'
import type { BenchWallet } from './wallet.js'

/** A mobile document and the wallet whose key it is bound to. */
export interface HeldMdoc {
  readonly wallet: BenchWallet
  /** The issued `IssuerSigned`, as base64url. */
  readonly issuerSigned: string
  /** The elements to disclose. */
  readonly elements: readonly ElementPath[]
}

/**
 * Makes the answer to a request object by direct_post.jwt, with a mobile document. `answerTo` makes the answer with an
 * SD-JWT VC.
 */
export async function answerWithMdoc(
  requestObject: string,
  { wallet, issuerSigned, elements }: HeldMdoc,
): Promise<{ path: string; response: string }> {
  const request = readRequestObject(requestObject)
  const asked = queried(request, 'mso_mdoc')
  const { client_id: clientId, nonce, response_uri: responseUri } = request
  const presentation = await presentMdoc({
    issuerSigned,
    disclose: elements,
    sessionTranscript: redirectTranscript({ clientId, nonce, responseUri, encryptionKey: asked.key }),
    signer: { alg: 'ES256', sign: async (data) => wallet.signBytes(data) },
  })
  return answered(request, asked, presentation)
}
