import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import { authorizationRequestUri, forWallet, unsignedRequestUri } from '../../protocol/openid4vp/request-object.js'
import type { Openid4vp } from '../openid4vp/openid4vp.js'
import { profileNamed } from '../openid4vp/profiles/profiles.js'
import { qrCodeUrlOf } from '../qr-codes/address.js'
import type { SessionSecrets } from '../sessions/secrets.js'
import { digitalCredentialUriOf, requestUriOf, type Session, wayOf } from '../sessions/session.js'
import type { zCreatedRequest } from './authorization-requests.contract.js'

/** What the largest QR code holds, with the least correction. */
const MAX_QR_CODE_CHARACTERS = 2_900

/** What the caller is told of how a request reaches wallets. */
export type HandedOut = Omit<z.input<typeof zCreatedRequest>, 'nonce' | 'validity' | 'verificationSessionId'>

const walletUriOf = ({ walletUrl }: Session, uri: string): { walletUri?: string } =>
  walletUrl === null ? {} : { walletUri: forWallet(uri, walletUrl) }

/** @throws 400 for more than the largest QR code holds. */
function assertFitsQrCode(uri: string): void {
  if (uri.length <= MAX_QR_CODE_CHARACTERS) return
  throw errors.badRequest(
    `clientIdPrefix redirect_uri needs a request of at most ${MAX_QR_CODE_CHARACTERS} characters, which a QR code can hold`,
  )
}

/** What {@link createHandOut} is made of. */
export interface HandOutPorts {
  readonly openid4vp: Pick<Openid4vp, 'parametersOf' | 'digitalCredentialRequest'>
  readonly config: Pick<Config, 'verifierBaseUrl'>
}

/**
 * Hands a new request out.
 *
 * @throws 400 for one that stands in its address, where no QR code could hold that.
 */
export type HandOut = (session: Session, secrets: SessionSecrets) => HandedOut | Promise<HandedOut>

export function createHandOut({ openid4vp, config }: HandOutPorts): HandOut {
  const qrCodeOf = ({ qrCodeId }: Session): { qr_code_url?: string } =>
    qrCodeId === null ? {} : { qr_code_url: qrCodeUrlOf(config, qrCodeId) }

  /** Appendix A: a page hands it to the browser, and posts what it gets. */
  const byBrowser = async (session: Session, secrets: SessionSecrets): Promise<HandedOut> => ({
    authorizationRequestUri: '',
    response_uri: digitalCredentialUriOf(config, session.requestId),
    digitalCredentialRequest: await openid4vp.digitalCredentialRequest(session, secrets),
  })

  /** §5.7: the wallet fetches it. */
  const byReference = (session: Session, clientId: string, { state }: SessionSecrets): HandedOut => {
    const requestUri = requestUriOf(config, session.requestId)
    const uri = authorizationRequestUri(profileNamed(session.profile).clientParameters(clientId), requestUri)
    return {
      request_uri: requestUri,
      ...qrCodeOf(session),
      state,
      authorizationRequestUri: uri,
      ...walletUriOf(session, uri),
    }
  }

  /** §5.9.3 `redirect_uri`: all parameters in the address. */
  const inAddress = (session: Session, secrets: SessionSecrets): HandedOut => {
    const uri = unsignedRequestUri(openid4vp.parametersOf(session, secrets))
    const wallet = walletUriOf(session, uri)
    assertFitsQrCode(wallet.walletUri ?? uri)
    return { ...qrCodeOf(session), state: secrets.state, authorizationRequestUri: uri, ...wallet }
  }

  return (session, secrets) => {
    const { clientId } = session
    const way = wayOf(session)
    if (clientId === null || way === 'browser') return byBrowser(session, secrets)
    return way === 'address' ? inAddress(session, secrets) : byReference(session, clientId, secrets)
  }
}
