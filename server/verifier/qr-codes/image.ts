import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Outbound } from '../../outbound/guard.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { qrCodePng } from '../../pages/qr-code.js'
import type { Work } from '../../protocol/work.js'
import { type OwnQrCode, ownQrCode } from './address.js'
import { cleanPng, ImageError } from './png.js'

/** Dependencies of {@link createQrCodeImageAt}. */
export interface QrCodeImageAtPorts {
  readonly config: Pick<Config, 'verifierBaseUrl' | 'issuerBaseUrl'>
  readonly outbound: Pick<Outbound, 'fetch'>
  /** The content of a QR code of this service; undefined for an unknown code. */
  readonly contentOf: (own: OwnQrCode) => Promise<string | undefined>
}

/**
 * The QR code behind an address, as a PNG. This service's own codes are read from the store. Any other image is fetched through
 * the outbound guard, decoded and encoded again.
 *
 * @param work the budget for the image's pixels
 * @throws 400 for an address without a usable image. The sentence is the same for every reason; the log has the reason. Anybody
 *   may send a request, and a precise error would reveal which names and ports of the operator's network respond. 404 for an
 *   unknown own QR code.
 */
export type QrCodeImageAt = (url: string, work: Work) => Promise<Uint8Array>

export function createQrCodeImageAt({ config, outbound, contentOf }: QrCodeImageAtPorts): QrCodeImageAt {
  const fetchBytes = async (url: string): Promise<Buffer> => {
    const response = await outbound.fetch(url, { headers: { accept: 'image/png, text/plain, application/json' } })
    if (!response.ok) throw new OutboundError('status', `The answer has the status ${response.status}.`)
    return Buffer.from(await response.arrayBuffer())
  }

  return async (url, work) => {
    const own = ownQrCode(config, url)
    if (own !== undefined) {
      const content = await contentOf(own)
      if (content === undefined) throw errors.qrCodeNotFound()
      return qrCodePng(content)
    }
    try {
      return cleanPng(await fetchBytes(url), work)
    } catch (thrown) {
      if (thrown instanceof ImageError || thrown instanceof OutboundError) throw errors.noQrCodeImage(thrown)
      throw thrown
    }
  }
}
