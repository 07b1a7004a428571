import type { Deps } from '../../deps.js'
import { CredentialError, type ResolveIssuerKey } from '../../protocol/credential/verification.js'
import { claimedIssuer } from '../../protocol/issuer-keys/resolve-issuer-key.js'

/** Whether an issuer is trusted. */
export type Trust = (issuer: string) => boolean | Promise<boolean>

const MAX_SHOWN = 256

const originOf = (issuer: string): string | undefined =>
  /^https?:/i.test(issuer) && URL.canParse(issuer) ? new URL(issuer).origin : undefined

/**
 * Trust by a list as TRUSTED_ISSUERS has it.
 *
 * @param entries `self` (this installation's issuers), `*` (anyone), DIDs, and origins, which stand for every issuer under them.
 */
export function trustIn(deps: Pick<Deps, 'config' | 'stores'>, entries: readonly string[]): Trust {
  const listed = new Set(entries.map((entry) => originOf(entry) ?? entry))
  if (listed.has('*')) return () => true
  return (issuer) => {
    if (listed.has(issuer)) return true
    const origin = originOf(issuer)
    if (origin !== undefined && listed.has(origin)) return true
    if (!listed.has('self')) return false
    return issuer === deps.config.issuerBaseUrl || (issuer.startsWith('did:') && deps.stores.dids.isIssuer(issuer))
  }
}

/** Trust in the issuers that a request itself names, in addition to those that the configuration trusts. */
export const trustAlso = (trust: Trust, named: readonly string[] | undefined): Trust =>
  named === undefined ? trust : (issuer) => named.includes(issuer) || trust(issuer)

async function assertTrusted(trust: Trust, issuer: string): Promise<void> {
  if (await trust(issuer)) return
  throw new CredentialError(`Issuer ${issuer.slice(0, MAX_SHOWN)} is not trusted.`, { check: 'issuer-trust' })
}

/**
 * Finds the keys of trusted issuers only. The issuer that the credential claims is checked first, so that nothing is fetched
 * from an address of an untrusted issuer; the identifier that the key was found under is checked afterwards.
 */
export function onlyTrusted(resolve: ResolveIssuerKey, trust: Trust): ResolveIssuerKey {
  return async (header, payload) => {
    // The same reading as that of who looks for the key: no other member can name an issuer that is fetched from.
    const claimed = claimedIssuer(payload)
    if (claimed !== undefined) await assertTrusted(trust, claimed)
    const found = await resolve(header, payload)
    if (found.issuer !== claimed) await assertTrusted(trust, found.issuer)
    return found
  }
}
