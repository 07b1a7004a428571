import type { Deps } from '../deps.js'
import { keyIdOf } from './identity.js'

/** Where the keys of this issuer are published (SD-JWT VC §3: inserted between host and path). */
export function jwtVcIssuerUrl(issuerBaseUrl: string): string {
  const { origin, pathname } = new URL(issuerBaseUrl)
  return `${origin}/.well-known/jwt-vc-issuer${pathname === '/' ? '' : pathname}`
}

/**
 * JWT VC issuer metadata (SD-JWT VC §3.2): every key of every issuer record, since what a former key signed must stay
 * verifiable. A `kid` is the absolute one that stands in credentials.
 */
export async function issuerKeySet(deps: Pick<Deps, 'config' | 'stores'>) {
  const dids = await deps.stores.dids.issuerDids()
  const keys = dids.flatMap((stored) =>
    stored.keys.map(({ publicJwk }) => ({ ...publicJwk, kid: keyIdOf(stored.did, publicJwk), use: 'sig' })),
  )
  return { issuer: deps.config.issuerBaseUrl, jwks: { keys } }
}
