import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import { ownQrCode } from '../../verifier/qr-codes/address.js'

/** Dependencies of {@link createQrContent}. */
export interface QrContentPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  /** The wallet address in the QR code of an authorization request; undefined for an unknown id. */
  readonly requestUriOf: (qrCodeId: string) => Promise<string | undefined>
  /** The wallet address in the QR code of an offering; undefined for an unknown id. */
  readonly offeringUriOf: (offeringId: string) => Promise<string | undefined>
}

/**
 * Reads the wallet address in a QR code of this service from the store, by the address of the code.
 *
 * @returns undefined for any other address.
 * @throws 404 for an unknown code.
 */
export type QrContent = ReturnType<typeof createQrContent>

/** Creates {@link QrContent} from its dependencies. */
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
