import { z } from 'zod'
import { isLoopbackName } from '../../../config/loopback.js'
import { ProviderRefusal } from '../provider.js'

/** True for https, and for http to this machine, such as a proxy beside the service. */
function isSafe(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(value)
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname))
}

/** The address of a service in KEY_PROVIDERS, without a slash at its end. */
export const zAddress = z
  .string()
  .max(1_000)
  .refine(isSafe, { error: 'must be an https URL (or http to this machine) without user name and query' })
  .transform((value) => new URL(value).href.replace(/\/+$/, ''))

/** A path of a file in KEY_PROVIDERS. */
export const zPath = z.string().min(1).max(1_000)

/**
 * An address from the environment or from a file of credentials.
 *
 * @param what names its place in messages, such as `AWS_ENDPOINT_URL_STS`
 * @throws {ProviderRefusal} unless it is https, or http to this machine
 */
export function safeAddress(value: string, what: string): string {
  if (isSafe(value)) return new URL(value).href.replace(/\/+$/, '')
  throw new ProviderRefusal(`${what} must be an https URL (or http to this machine) without user name and query.`)
}

/** The distinct origins of addresses. */
export const originsOf = (...addresses: readonly (string | undefined)[]): string[] => [
  ...new Set(addresses.flatMap((address) => (address === undefined ? [] : [new URL(address).origin]))),
]
