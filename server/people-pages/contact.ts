import type { Config } from '../config/config.js'
import type { Face } from '../pages/brand.js'
import type { Contact } from '../pages/contact.js'

/**
 * The contact of the issuer or verifier of a page: the contact of its record, otherwise the contact of the service
 * (SERVICE_CONTACT).
 *
 * @param face the face of the record
 */
export function contactOf(
  { serviceContact }: Pick<Config, 'serviceContact'>,
  { branding }: Pick<Face, 'branding'>,
): Contact | undefined {
  const { email, phone, url } = branding?.contact ?? {}
  if (email !== undefined) return { href: `mailto:${email}`, text: email }
  if (url !== undefined) return { href: url, text: url.replace(/^https:\/\//, '') }
  if (phone !== undefined) return { href: `tel:${phone.replaceAll(/[^\d+]/g, '')}`, text: phone }
  return serviceContact
}
