import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import { ownQrCode } from '../../verifier/qr-codes/address.js'

/** What {@link createQrContent} is made of. */
export interface QrContentPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  /** What the QR code of an authorization request says to wallets; undefined where there is none of that id. */
  readonly requestUriOf: (qrCodeId: string) => Promise<string | undefined>
  /** The same of an offering. */
  readonly offeringUriOf: (offeringId: string) => Promise<string | undefined>
}

/**
 * What a QR code of this service says to wallets, by the address of the code, read from the store.
 *
 * @returns undefined for any other address.
 * @throws 404 for a code that does not exist.
 */
export type QrContent = ReturnType<typeof createQrContent>

/** Binds {@link QrContent} to its ports. */
export function createQrContent({ config, requestUriOf, offeringUriOf }: QrContentPorts) {
  return async (address: string): Promise<string | undefined> => {
    const own = ownQrCode(config, address)
    if (own === undefined) return undefined
    if ('qrCodeId' in own) {
      const uri = await requestUriOf(own.qrCodeId)
      if (uri === undefined) throw errors.qrCodeNotFound()
      return uri
    }
    const uri = await offeringUriOf(own.offeringId)
    if (uri === undefined) throw errors.offeringNotFound()
    return uri
  }
}
