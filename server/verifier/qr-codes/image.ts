import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import { offeringFullUrl } from '../../issuer/offerings/offering-json.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { presentPageUrl } from '../../pages/addresses.js'
import { qrCodePng } from '../../pages/qr-code.js'
import { forWallet } from '../../protocol/openid4vp/request-object.js'
import type { Work } from '../../protocol/work.js'
import { ownQrCode } from './address.js'
import { cleanPng, ImageError } from './png.js'

/** A QR code of an authorization request. */
export interface RequestQrCode {
  readonly sessionId: string
  /** What a wallet is opened with. */
  readonly walletUri: string
  /** The page whose address the code holds in its place; null where there is none. */
  readonly pageId: string | null
}

/** The QR code of an authorization request; undefined where there is none of that id. */
export async function findQrCode(deps: Pick<Deps, 'stores'>, id: string): Promise<RequestQrCode | undefined> {
  const session = await deps.stores.verificationSessions.byQrCode(id)
  if (session === undefined) return undefined
  const { authorizationRequestUri, walletUrl, pageId } = session
  const walletUri = walletUrl === null ? authorizationRequestUri : forWallet(authorizationRequestUri, walletUrl)
  return { sessionId: session.id, walletUri, pageId }
}

/** What such a code says: to a wallet, or to any camera where it holds the address of a page. */
export const textOf = ({ config }: Pick<Deps, 'config'>, { walletUri, pageId }: RequestQrCode): string =>
  pageId === null ? walletUri : presentPageUrl(config, pageId)

async function requestContent(deps: Pick<Deps, 'config' | 'stores'>, id: string): Promise<string> {
  const code = await findQrCode(deps, id)
  if (code === undefined) throw errors.qrCodeNotFound()
  return textOf(deps, code)
}

async function offeringContent(deps: Pick<Deps, 'config' | 'stores'>, id: string): Promise<string> {
  if ((await deps.stores.offerings.find(id)) === undefined) throw errors.qrCodeNotFound()
  return offeringFullUrl(deps.config, { id })
}

async function fetchBytes(deps: Pick<Deps, 'outbound'>, url: string): Promise<Buffer> {
  const response = await deps.outbound.fetch(url, { headers: { accept: 'image/png, text/plain, application/json' } })
  if (!response.ok) throw new OutboundError('status', `The answer has the status ${response.status}.`)
  return Buffer.from(await response.arrayBuffer())
}

/**
 * The QR code behind an address as a PNG: one of this service's own from the store, any other through the outbound guard,
 * decoded and encoded anew.
 *
 * @param work pays for the image's pixels
 * @throws 400 for an address that has no usable image, in one sentence whatever the reason, which the log has: anybody may
 * ask, and would learn what names and ports of the operator's network answer. 404 for an own QR code that does not exist.
 */
export async function qrCodeImageAt(deps: Deps, url: string, work: Work): Promise<Uint8Array> {
  const own = ownQrCode(deps.config, url)
  if (own !== undefined) {
    return qrCodePng(
      'qrCodeId' in own ? await requestContent(deps, own.qrCodeId) : await offeringContent(deps, own.offeringId),
    )
  }
  try {
    return cleanPng(await fetchBytes(deps, url), work)
  } catch (thrown) {
    if (thrown instanceof ImageError || thrown instanceof OutboundError) throw errors.noQrCodeImage(thrown)
    throw thrown
  }
}
