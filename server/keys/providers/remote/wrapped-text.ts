import { ProviderRefusal } from '../provider.js'

/** The octets of a wrapped key in base64 with padding (RFC 4648 §4). @throws {ProviderRefusal} for any other text */
export function octetsOfWrapped(text: string): Buffer {
  const octets = Buffer.from(text, 'base64')
  if (octets.length > 0 && octets.toString('base64') === text) return octets
  throw new ProviderRefusal('the wrapped key was altered: it is not in base64.')
}
