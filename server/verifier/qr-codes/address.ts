import type { Config } from '../../config/config.js'

const PATH = '/api/v1/verifier/qr-codes'

/** The address of a QR code. */
export const qrCodeUrlOf = ({ verifierBaseUrl }: Pick<Config, 'verifierBaseUrl'>, id: string): string =>
  `${verifierBaseUrl}${PATH}/${id}`

const idBehind = (url: string, prefix: string, suffix: string): string | undefined => {
  const id = url.startsWith(prefix) && url.endsWith(suffix) ? url.slice(prefix.length, url.length - suffix.length) : ''
  return /^[\w-]+$/.test(id) ? id : undefined
}

/** A QR code of this service, for an authorization request or for an offering. */
export type OwnQrCode = { readonly qrCodeId: string } | { readonly offeringId: string }

/** The id of this service's own QR code that an address names. */
export function ownQrCode(
  { verifierBaseUrl, issuerBaseUrl }: Pick<Config, 'verifierBaseUrl' | 'issuerBaseUrl'>,
  url: string,
): OwnQrCode | undefined {
  const qrCodeId = idBehind(url, `${verifierBaseUrl}${PATH}/`, '')
  if (qrCodeId !== undefined) return { qrCodeId }
  const offeringId = idBehind(url, `${issuerBaseUrl}/api/v1/offerings/`, '/qr-code')
  return offeringId === undefined ? undefined : { offeringId }
}
