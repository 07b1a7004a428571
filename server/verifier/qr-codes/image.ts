import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import { offeringFullUrl } from '../../issuer/offerings/offering-json.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { forWallet } from '../../protocol/openid4vp/request-object.js'
import type { Work } from '../../protocol/work.js'
import { qrCodePng } from '../../qr-code.js'
import { ownQrCode } from './address.js'
import { cleanPng, ImageError } from './png.js'

/** What the QR code of an authorization request says to a wallet. @throws 404 */
export async function qrCodeContent(deps: Pick<Deps, 'config' | 'stores'>, id: string): Promise<string> {
  const session = await deps.stores.verificationSessions.byQrCode(id)
  if (session === undefined) throw errors.qrCodeNotFound()
  const { authorizationRequestUri, walletUrl } = session
  return walletUrl === null ? authorizationRequestUri : forWallet(authorizationRequestUri, walletUrl)
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
      'qrCodeId' in own ? await qrCodeContent(deps, own.qrCodeId) : await offeringContent(deps, own.offeringId),
    )
  }
  try {
    return cleanPng(await fetchBytes(deps, url), work)
  } catch (thrown) {
    if (thrown instanceof ImageError || thrown instanceof OutboundError) throw errors.noQrCodeImage(thrown)
    throw thrown
  }
}
