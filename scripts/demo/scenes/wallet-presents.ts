import { decodeJwt } from 'jose'
import type { CredenceInputs } from '../../../client/index.js'
import { type Stage, Surprise } from '../stage.js'
import { present, scanRequest } from '../wallet/present.js'
import type { HeldCredential } from '../wallet/receive.js'
import type { Wallet } from '../wallet/wallet.js'
import { draw } from './offer.js'
import { TYPE } from './purchase.js'
import { watch } from './watch.js'

/** The request of a shop's warranty desk: it asks for the product and the date of a proof of purchase. */
const QUERY: CredenceInputs['vpQueries']['create']['query'] = [
  {
    fields: [
      { path: ['$.vc.type', '$.type'], filter: { type: 'array', contains: { const: TYPE } } },
      { path: ['$.credentialSubject.productName'], filter: { type: 'string', minLength: 1 } },
      { path: ['$.credentialSubject.purchaseDate'] },
    ],
  },
]

const DONE = 'https://warranty.example/done'

interface Attempt {
  readonly wallet: Wallet
  readonly queryId: string
  readonly credential: HeldCredential
  /** Whether the QR code is drawn in the terminal, where it needs much space. */
  readonly drawn: boolean
}

/**
 * Makes a new request, and lets the wallet answer it with one credential. Meanwhile the verifier watches the session
 * over SSE.
 */
async function attempt(stage: Stage, { wallet, queryId, credential, drawn }: Attempt) {
  stage.step('The warranty desk makes an authorization request from it')
  const asked = await stage.credence.vpQueries.authorizationRequest.mutate({ id: queryId, redirect_uri: DONE })
  if (drawn) await draw(stage, asked.authorizationRequestUri)
  stage.saw('its QR code says', asked.authorizationRequestUri)
  stage.step('It watches the session over Server-Sent Events')
  const watcher = watch(stage, asked.verificationSessionId)
  await watcher.until('RequestCreated')
  stage.step(`${wallet.owner}'s wallet scans the QR code and presents the ${credential.format}`)
  const request = await scanRequest(stage, wallet, asked.authorizationRequestUri)
  stage.saw('the verifier is', request.verifier)
  const reply = await present(stage, wallet, request, [credential])
  const disclosed = reply.chosen.flatMap(({ disclose }) => disclose).join(', ')
  stage.saw('it shows', credential.format === 'dc+sd-jwt' ? disclosed : 'the whole credential')
  stage.saw('the verifier replies', `${reply.status} ${JSON.stringify(reply.body)}`)
  return { ...asked, watcher, reply }
}

async function accepted(stage: Stage, of: Attempt): Promise<void> {
  const { verificationSessionId: sessionId, watcher, reply } = await attempt(stage, of)
  using watching = watcher
  await watching.until('ResponseVerified')
  stage.mustBe('the states', watching.states, ['RequestCreated', 'RequestUriRetrieved', 'ResponseVerified'])
  stage.mustBe('where the wallet is sent', String(reply.body.redirect_uri).split('?')[0], DONE)
  stage.step('The warranty desk reads what was verified')
  const { credentials } = await stage.credence.verificationSessions.result.query({ sessionId })
  const [presented] = credentials
  stage.saw('claims', presented?.claims)
  stage.mustBe('the format', presented?.format, of.credential.format)
  const claims = [presented?.claims ?? []].flat()[0]
  stage.mustBe('the product', claims?.productName, 'Espresso machine')
}

async function refused(stage: Stage, of: Attempt): Promise<void> {
  const { watcher, reply } = await attempt(stage, of)
  using watching = watcher
  await watching.until('Error')
  stage.mustBe('the status of the reply', reply.status, 400)
  stage.mustBe('the states', watching.states, ['RequestCreated', 'RequestUriRetrieved', 'Error'])
  stage.mustBe('what the session says', watching.errorMessage(), reply.body.error_description)
  stage.mustBe('whether it speaks of the revocation', /revoked/.test(String(watching.errorMessage())), true)
}

/** The id of the issuer's record, which is also the JWT VC's id. */
function recordId(held: readonly HeldCredential[]): string {
  const jwtVc = held.find(({ format }) => format === 'jwt_vc_json')
  if (jwtVc === undefined) throw new Surprise('The wallet holds no JWT VC.')
  return String(decodeJwt(jwtVc.compact).jti).replace('urn:uuid:', '')
}

/** A wallet presents a credential of each format over OpenID4VP. After the revocation, the verifier accepts neither. */
export async function walletPresents(stage: Stage, wallet: Wallet, held: readonly HeldCredential[]): Promise<void> {
  stage.step('A warranty desk stores what it wants to know')
  const { id } = await stage.credence.vpQueries.create.mutate({ query: QUERY })
  stage.saw('query', id)
  for (const [position, credential] of held.entries()) {
    await accepted(stage, { wallet, queryId: id, credential, drawn: position === 0 })
  }
  stage.step('The shop revokes the credential')
  await stage.credence.credentials.revoke.mutate({ id: recordId(held) })
  for (const credential of held) await refused(stage, { wallet, queryId: id, credential, drawn: false })
}
