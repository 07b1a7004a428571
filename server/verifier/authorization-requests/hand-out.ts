import type { z } from 'zod'
import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import { authorizationRequestUri, forWallet, unsignedRequestUri } from '../../protocol/openid4vp/request-object.js'
import { requestParametersOf } from '../openid4vp/request-parameters.js'
import { qrCodeUrlOf } from '../qr-codes/address.js'
import type { SessionSecrets } from '../sessions/secrets.js'
import { requestUriOf, type Session, type Way, wayOf } from '../sessions/session.js'
import type { zCreatedRequest } from './authorization-requests.contract.js'

/** What the largest QR code holds, with the least correction. */
const MAX_QR_CODE_CHARACTERS = 2_900

/** A request on its way to wallets. */
export interface HandedOut {
  /** What every wallet can be opened with. */
  readonly address: string
  /** What its caller is told of it. */
  readonly members: Omit<z.input<typeof zCreatedRequest>, 'nonce' | 'validity' | 'verificationSessionId'>
}

type Handing = Pick<Deps, 'config' | 'formats'>

const WAYS: Readonly<Record<Way, (deps: Handing, session: Session, secrets: SessionSecrets) => HandedOut>> = {
  reference,
  address,
}

/**
 * Hands a new request out.
 *
 * @throws 400 for one that stands in its address, where no QR code could hold that.
 */
export const handOut = (deps: Handing, session: Session, secrets: SessionSecrets): HandedOut =>
  WAYS[wayOf(session)](deps, session, secrets)

/** §5.7: the wallet fetches it. */
function reference({ config }: Handing, session: Session, { state }: SessionSecrets): HandedOut {
  const requestUri = requestUriOf(config, session.requestId)
  const uri = authorizationRequestUri(session.clientId, requestUri)
  return {
    address: uri,
    members: {
      request_uri: requestUri,
      qr_code_url: qrCodeOf(config, session),
      state,
      authorizationRequestUri: uri,
      ...walletUriOf(session, uri),
    },
  }
}

/** §5.9.3 `redirect_uri`: all parameters in the address. */
function address(deps: Handing, session: Session, secrets: SessionSecrets): HandedOut {
  const uri = unsignedRequestUri(requestParametersOf(deps, session, secrets))
  const { walletUri } = walletUriOf(session, uri)
  assertFitsQrCode(walletUri ?? uri)
  return {
    address: uri,
    members: {
      qr_code_url: qrCodeOf(deps.config, session),
      state: secrets.state,
      authorizationRequestUri: uri,
      ...(walletUri === undefined ? {} : { walletUri }),
    },
  }
}

function qrCodeOf(config: Deps['config'], { id, qrCodeId }: Session): string {
  if (qrCodeId === null) throw new Error(`Session ${id} has no QR code.`)
  return qrCodeUrlOf(config, qrCodeId)
}

const walletUriOf = ({ walletUrl }: Session, uri: string): { walletUri?: string } =>
  walletUrl === null ? {} : { walletUri: forWallet(uri, walletUrl) }

/** @throws 400 for more than the largest QR code holds. */
function assertFitsQrCode(uri: string): void {
  if (uri.length <= MAX_QR_CODE_CHARACTERS) return
  throw errors.badRequest(
    `clientIdPrefix redirect_uri needs a request of at most ${MAX_QR_CODE_CHARACTERS} characters, which a QR code can hold`,
  )
}
