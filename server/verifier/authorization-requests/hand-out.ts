import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import { authorizationRequestUri, forWallet, unsignedRequestUri } from '../../protocol/openid4vp/request-object.js'
import { digitalCredentialRequestOf } from '../openid4vp/digital-credentials.js'
import { dialectOf } from '../openid4vp/profiles/profile.js'
import { requestParametersOf } from '../openid4vp/request-parameters.js'
import { qrCodeUrlOf } from '../qr-codes/address.js'
import type { SessionSecrets } from '../sessions/secrets.js'
import { digitalCredentialUriOf, requestUriOf, type Session, wayOf } from '../sessions/session.js'
import type { zCreatedRequest } from './authorization-requests.contract.js'

/** What the largest QR code holds, with the least correction. */
const MAX_QR_CODE_CHARACTERS = 2_900

/** What the caller is told of how a request reaches wallets. */
export type HandedOut = Omit<z.input<typeof zCreatedRequest>, 'nonce' | 'validity' | 'verificationSessionId'>

type Handing = Pick<Deps, 'config' | 'formats' | 'keys' | 'vault'>

/**
 * Hands a new request out.
 *
 * @throws 400 for one that stands in its address, where no QR code could hold that.
 */
export function handOut(deps: Handing, session: Session, secrets: SessionSecrets): HandedOut | Promise<HandedOut> {
  const { clientId } = session
  const way = wayOf(session)
  if (clientId === null || way === 'browser') return byBrowser(deps, session, secrets)
  return way === 'address' ? inAddress(deps, session, secrets) : byReference(deps, session, clientId, secrets)
}

/** Appendix A: a page hands it to the browser, and posts what it gets. */
async function byBrowser(deps: Handing, session: Session, secrets: SessionSecrets): Promise<HandedOut> {
  return {
    authorizationRequestUri: '',
    response_uri: digitalCredentialUriOf(deps.config, session.requestId),
    digitalCredentialRequest: await digitalCredentialRequestOf(deps, session, secrets),
  }
}

/** §5.7: the wallet fetches it. */
function byReference({ config }: Handing, session: Session, clientId: string, { state }: SessionSecrets): HandedOut {
  const requestUri = requestUriOf(config, session.requestId)
  const uri = authorizationRequestUri(dialectOf(session.profile).client(clientId), requestUri)
  return {
    request_uri: requestUri,
    ...qrCodeOf(config, session),
    state,
    authorizationRequestUri: uri,
    ...walletUriOf(session, uri),
  }
}

/** §5.9.3 `redirect_uri`: all parameters in the address. */
function inAddress(deps: Handing, session: Session, secrets: SessionSecrets): HandedOut {
  const uri = unsignedRequestUri(requestParametersOf(deps, session, secrets))
  const wallet = walletUriOf(session, uri)
  assertFitsQrCode(wallet.walletUri ?? uri)
  return { ...qrCodeOf(deps.config, session), state: secrets.state, authorizationRequestUri: uri, ...wallet }
}

const qrCodeOf = (config: Deps['config'], { qrCodeId }: Session): { qr_code_url?: string } =>
  qrCodeId === null ? {} : { qr_code_url: qrCodeUrlOf(config, qrCodeId) }

const walletUriOf = ({ walletUrl }: Session, uri: string): { walletUri?: string } =>
  walletUrl === null ? {} : { walletUri: forWallet(uri, walletUrl) }

/** @throws 400 for more than the largest QR code holds. */
function assertFitsQrCode(uri: string): void {
  if (uri.length <= MAX_QR_CODE_CHARACTERS) return
  throw errors.badRequest(
    `clientIdPrefix redirect_uri needs a request of at most ${MAX_QR_CODE_CHARACTERS} characters, which a QR code can hold`,
  )
}
