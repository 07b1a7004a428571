import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import { offeringFullUrl } from '../../issuer/offerings/offering-json.js'
import { ownQrCode } from '../../verifier/qr-codes/address.js'
import { findQrCode } from '../../wiring/unconverted.js'

/**
 * What a QR code of this service says to wallets, by the address of the code, read from the store.
 *
 * @returns undefined for any other address.
 * @throws 404 for a code that does not exist.
 */
export async function ownQrContent(deps: Deps, address: string): Promise<string | undefined> {
  const own = ownQrCode(deps.config, address)
  if (own === undefined) return undefined
  if ('qrCodeId' in own) {
    const code = await findQrCode(deps, own.qrCodeId)
    if (code === undefined) throw errors.qrCodeNotFound()
    return code.walletUri
  }
  const offering = await deps.stores.offerings.find(own.offeringId)
  if (offering === undefined) throw errors.offeringNotFound()
  return offeringFullUrl(deps.config, offering)
}
