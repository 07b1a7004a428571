import { Openid4vpClient } from '@openid4vc/openid4vp'
import { DcqlQuery } from 'dcql'
import { z } from 'zod'
import type { Jwk } from '../../server/protocol/jose/jws.js'
import { elementPathOf, readMdoc } from '../../server/protocol/mdoc/mdoc.js'
import { mdocDcqlCredential } from '../protocol/mdoc/dcql-library.js'
import { owf } from '../protocol/mdoc/owf.js'
import type { BrowserRequest } from './browser.js'
import { certified } from './library-browser-wallet.js'
import { callbacks, responseOf } from './library-wallet.js'

/** A mobile document, and the key of its holder. */
export interface HeldDocument {
  readonly issuerSigned: string
  readonly devicePrivate: Jwk
}

/** The parts of a request that this wallet reads. Over the Digital Credentials API there is no `response_uri`. */
const zRequest = z.object({
  client_id: z.string().optional(),
  response_uri: z.string().optional(),
  nonce: z.string(),
  response_mode: z.string(),
  dcql_query: z.custom<DcqlQuery.Input>(),
  client_metadata: z.object({ jwks: z.object({ keys: z.array(z.record(z.string(), z.string())) }).optional() }),
})

/** Lets the `dcql` library choose for one document: returns the id of the credential query, and the elements. */
function choose(query: DcqlQuery.Input, document: HeldDocument) {
  const parsed = DcqlQuery.parse(query)
  DcqlQuery.validate(parsed)
  const content = readMdoc(document.issuerSigned)
  const result = DcqlQuery.query(parsed, [mdocDcqlCredential(content)])
  const asked = parsed.credentials.find(({ format }) => format === 'mso_mdoc')
  if (!result.can_be_satisfied || asked === undefined) throw new Error('The wallet cannot satisfy the query.')
  const { id, claims = [] } = asked
  const paths = claims.map((claim) => ('path' in claim ? elementPathOf(claim.path) : undefined))
  return { id, doctype: content.doctype, paths: paths.filter((path) => path !== undefined) }
}

/** Presents with @owf/mdoc, which makes its own SessionTranscript. */
async function vpTokenOf(request: z.infer<typeof zRequest>, document: HeldDocument, origin?: string) {
  const { id, doctype, paths } = choose(request.dcql_query, document)
  const {
    nonce,
    client_id: clientId = '',
    response_uri: responseUri = '',
    response_mode: mode,
    client_metadata: metadata,
  } = request
  const key = mode.endsWith('.jwt') ? metadata.jwks?.keys[0] : undefined
  const common = { nonce, encryptionKey: key }
  const { presented } = await owf(origin === undefined ? { ...common, clientId, responseUri } : { ...common, origin }, {
    hold: { ...document, doctype, paths },
  })
  return { vp_token: { [id]: [presented] } }
}

/** Answers an `openid4vp://` address: `@openid4vc/openid4vp` for the exchange, `dcql` for the choice, `@owf/mdoc` for the document. */
export async function answerWithDocument(address: string, document: HeldDocument) {
  const client = new Openid4vpClient({ callbacks })
  const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: address })
  const { authorizationRequestPayload } = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: params,
    wallet: { metadata: { vp_formats_supported: {} } },
  })
  const request = zRequest.parse(authorizationRequestPayload)
  const vpToken = await vpTokenOf(request, document)
  const response = await responseOf(client, authorizationRequestPayload, vpToken)
  const submitted = await client.submitOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: { response_uri: request.response_uri },
    authorizationResponsePayload: response.authorizationResponsePayload,
    ...(response.jarm === undefined ? {} : { jarm: { responseJwt: response.jarm.responseJwt } }),
  })
  return { status: submitted.response.status, body: await submitted.response.json() }
}

/** Answers a request as the same wallet behind a browser. @returns the `DigitalCredential` that the page gets */
export async function answerInBrowserWithDocument(request: BrowserRequest, document: HeldDocument, origin: string) {
  const client = new Openid4vpClient({ callbacks: certified })
  const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: request.data })
  const { authorizationRequestPayload } = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: params,
    wallet: { metadata: { vp_formats_supported: {} } },
    origin,
  })
  const vpToken = await vpTokenOf(zRequest.parse(authorizationRequestPayload), document, origin)
  const response = await responseOf(client, authorizationRequestPayload, vpToken, origin)
  const { state: _, ...answer } = response.authorizationResponsePayload
  const data = response.jarm === undefined ? answer : { response: response.jarm.responseJwt }
  return { protocol: request.protocol, data }
}
