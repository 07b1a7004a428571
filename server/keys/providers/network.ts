import { readFile } from 'node:fs/promises'
import type { Outbound, OutboundFetch, OutboundOptions } from '../../outbound/guard.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { type ProviderNetwork, ProviderRefusal } from './provider.js'

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** Name resolution and address rules of the network, which tests set. */
export type NetworkRules = Pick<OutboundOptions, 'lookup' | 'isPublicAddress' | 'onEnd'>

/**
 * The guarded fetch of a provider. It reaches the origins of the provider only. The guard is imported on demand: a process that only
 * prepares the database needs it for few kinds.
 */
export async function providerFetch(
  { origins, caFile }: ProviderNetwork,
  outbound: NetworkRules | undefined,
  timeoutMs: number,
): Promise<{ readonly fetch: OutboundFetch; readonly outbound: Outbound }> {
  const { createOutbound } = await import('../../outbound/guard.js')
  const ca = caFile === undefined ? undefined : await caOf(caFile)
  const allowed = new Set(origins.map((origin) => new URL(origin).origin))
  const guarded = createOutbound({
    ...outbound,
    allowHttp: true,
    allowedHosts: [...allowed].map((origin) => {
      const { protocol, hostname, port } = new URL(origin)
      return `${hostname}:${port === '' ? DEFAULT_PORTS[protocol] : port}`
    }),
    ownOrigins: [],
    ownPathAllowed: () => false,
    maxRedirects: 0,
    timeoutMs,
    ...(ca === undefined ? {} : { ca }),
  })
  return {
    outbound: guarded,
    fetch: (input, init) => {
      const { origin, host } = new URL(input instanceof Request ? input.url : String(input))
      if (allowed.has(origin)) return guarded.fetch(input, { ...init, redirect: 'manual' })
      return Promise.reject(new OutboundError('url', `${host} is no address of this key provider.`))
    },
  }
}

async function caOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    throw new ProviderRefusal(`${file} cannot be read.`)
  }
}
