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

/** Capacity of the largest QR code at the lowest error correction. */
const MAX_QR_CODE_CHARACTERS = 2_900

/** The members of the response that describe how a request reaches wallets. */
export type HandedOut = Omit<z.input<typeof zCreatedRequest>, 'nonce' | 'validity' | 'verificationSessionId'>

const walletUriOf = ({ walletUrl }: Session, uri: string): { walletUri?: string } =>
  walletUrl === null ? {} : { walletUri: forWallet(uri, walletUrl) }

/** @throws 400 for a URI that does not fit in the largest QR code. */
function assertFitsQrCode(uri: string): void {
  if (uri.length <= MAX_QR_CODE_CHARACTERS) return
  throw errors.badRequest(
    `clientIdPrefix redirect_uri needs a request of at most ${MAX_QR_CODE_CHARACTERS} characters, which a QR code can hold`,
  )
}

/** Dependencies of {@link createHandOut}. */
export interface HandOutPorts {
  readonly openid4vp: Pick<Openid4vp, 'parametersOf' | 'digitalCredentialRequest'>
  readonly config: Pick<Config, 'verifierBaseUrl'>
}

/**
 * Returns the addresses and the QR code of a new request.
 *
 * @throws 400 if the address holds the whole request and does not fit in a QR code.
 */
export type HandOut = (session: Session, secrets: SessionSecrets) => HandedOut | Promise<HandedOut>

export function createHandOut({ openid4vp, config }: HandOutPorts): HandOut {
  const qrCodeOf = ({ qrCodeId }: Session): { qr_code_url?: string } =>
    qrCodeId === null ? {} : { qr_code_url: qrCodeUrlOf(config, qrCodeId) }

  /** Appendix A: a page passes the request to the browser and posts the answer. */
  const byBrowser = async (session: Session, secrets: SessionSecrets): Promise<HandedOut> => ({
    authorizationRequestUri: '',
    response_uri: digitalCredentialUriOf(config, session.requestId),
    digitalCredentialRequest: await openid4vp.digitalCredentialRequest(session, secrets),
  })

  /** §5.7: the wallet fetches the request. */
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

  /** §5.9.3 `redirect_uri`: the address holds all parameters. */
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
