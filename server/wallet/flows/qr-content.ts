import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import { offeringFullUrl } from '../../issuer/offerings/view.js'

/**
 * What a QR code of this service says, by the address of the code, read from the store.
 *
 * @returns undefined for any other address.
 * @throws 404 for a code that does not exist.
 */
export async function ownQrContent(deps: Deps, address: string): Promise<string | undefined> {
  const { issuerBaseUrl } = deps.config
  const prefix = `${issuerBaseUrl}/api/v1/offerings/`
  const id = address.startsWith(prefix) ? /^([^/?#]+)\/qr-code$/.exec(address.slice(prefix.length))?.[1] : undefined
  if (id === undefined) return undefined
  const offering = await deps.stores.offerings.find(id)
  if (offering === undefined) throw errors.offeringNotFound()
  return offeringFullUrl(issuerBaseUrl, offering.id)
}
