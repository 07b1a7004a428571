import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Outbound } from '../../outbound/guard.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { qrCodePng } from '../../pages/qr-code.js'
import type { Work } from '../../protocol/work.js'
import { type OwnQrCode, ownQrCode } from './address.js'
import { cleanPng, ImageError } from './png.js'

/** What {@link createQrCodeImageAt} is made of. */
export interface QrCodeImageAtPorts {
  readonly config: Pick<Config, 'verifierBaseUrl' | 'issuerBaseUrl'>
  readonly outbound: Pick<Outbound, 'fetch'>
  /** What a QR code of this service says; undefined where there is none. */
  readonly contentOf: (own: OwnQrCode) => Promise<string | undefined>
}

/**
 * The QR code behind an address as a PNG: one of this service's own from the store, any other through the outbound guard,
 * decoded and encoded anew.
 *
 * @param work pays for the image's pixels
 * @throws 400 for an address that has no usable image, in one sentence whatever the reason, which the log has: anybody may
 * ask, and would learn what names and ports of the operator's network answer. 404 for an own QR code that does not exist.
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
