import type { Config } from '../../config/config.js'
import { CredentialError, type ResolveIssuerKey } from '../../protocol/credential/verification.js'
import { isDid } from '../../protocol/did/did-url.js'
import { belongsTo } from '../../protocol/issuer-keys/did-issuer.js'
import { claimedIssuer } from '../../protocol/issuer-keys/resolve-issuer-key.js'
import type { JsonObject } from '../../protocol/json/json-object.js'

/** The issuers that a verification trusts. */
export interface Trust {
  /** Whether an issuer is trusted by its name. */
  readonly named: (issuer: string) => boolean | Promise<boolean>
  /** Whether every issuer with a certificate chain to a trust anchor is trusted, even if its name is not listed. */
  readonly certified: boolean
}

const MAX_SHOWN = 256

const originOf = (issuer: string): string | undefined =>
  /^https?:/i.test(issuer) && URL.canParse(issuer) ? new URL(issuer).origin : undefined

/** This installation: the meaning of `self` in a list of trusted issuers. */
export interface OwnIssuers {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  /** Whether a DID belongs to an issuer of this installation. */
  readonly isOwnIssuer: (did: string) => Promise<boolean>
}

/**
 * Trust by a list in the form of TRUSTED_ISSUERS.
 *
 * @param entries `self` (this installation's issuers), `x5c` (every issuer with a chain to TRUST_ANCHORS), `*` (every issuer),
 * DIDs, and origins. An origin means every issuer under this origin.
 */
export function trustIn({ config, isOwnIssuer }: OwnIssuers, entries: readonly string[]): Trust {
  const listed = new Set(entries.map((entry) => originOf(entry) ?? entry))
  const certified = listed.has('x5c')
  if (listed.has('*')) return { named: () => true, certified }
  const named: Trust['named'] = (issuer) => {
    // The subject name of a certificate is free text and might equal one of these words.
    if (isWord(issuer)) return false
    if (listed.has(issuer)) return true
    const origin = originOf(issuer)
    if (origin !== undefined && listed.has(origin)) return true
    if (!listed.has('self')) return false
    return issuer === config.issuerBaseUrl || (issuer.startsWith('did:') && isOwnIssuer(issuer))
  }
  return { named, certified }
}

const isWord = (issuer: string): boolean => issuer === 'self' || issuer === 'x5c'

/** Trusts the issuers that a request itself names, in addition to the configured issuers. */
export const trustAlso = (trust: Trust, named: readonly string[] | undefined): Trust =>
  named === undefined ? trust : { ...trust, named: (issuer) => named.includes(issuer) || trust.named(issuer) }

/** DID Core 1.0 §3.1, without the additional parts of a DID URL. */
const DID = /^did:[a-z0-9]+:[\w.:%-]+$/

/** Whether a name can be in the list of added issuers: a DID, or an origin in the form that is compared. */
const isAddable = (name: string): boolean => DID.test(name) || originOf(name) === name

/**
 * Trusts the added issuers, in addition to the configured issuers. Added issuers are checked last, because the check
 * takes a database statement.
 *
 * @param isAdded whether a DID or an origin was added
 */
export const trustAdded = (trust: Trust, isAdded: (name: string) => Promise<boolean>): Trust => ({
  ...trust,
  named: async (issuer) => {
    if (await trust.named(issuer)) return true
    const name = originOf(issuer) ?? issuer
    return isAddable(name) && isAdded(name)
  },
})

const untrusted = (issuer: string): CredentialError =>
  new CredentialError(`Issuer ${issuer.slice(0, MAX_SHOWN)} is not trusted.`, { check: 'issuer-trust' })

async function assertNamed({ named }: Trust, issuer: string): Promise<void> {
  if (!(await named(issuer))) throw untrusted(issuer)
}

/** Ways to find an issuer's key. */
export interface IssuerKeySearch {
  readonly resolveIssuerKey: ResolveIssuerKey
  /** Finds the key by the chain in `x5c` only, without a fetch. */
  readonly resolveCertifiedKey: ResolveIssuerKey
  /** Whether this installation has trust anchors. */
  readonly isAnchored: boolean
}

/**
 * Whether only the chain in `x5c` identifies the signer, even if the credential claims another issuer. A `kid` of a
 * claimed DID takes precedence over the chain.
 *
 * @param header the header of the credential, not verified yet
 */
const isByCertificate = ({ isAnchored }: IssuerKeySearch, { x5c, kid }: JsonObject, claimed: string): boolean =>
  isAnchored && x5c !== undefined && !(isDid(claimed) && typeof kid === 'string' && belongsTo(kid, claimed))

/**
 * Finds the keys of trusted issuers only. The claimed issuer is checked first, so that nothing is fetched from an address of an
 * untrusted issuer. A refusal names the subject of the certificate, if there is a certificate. Afterwards, the identifier under
 * which the key was found is checked. If an issuer is trusted only for its certificate, the certificate alone decides.
 * The issuer that the credential claims does not matter then.
 *
 * @param onTrusted called when an issuer is trusted
 */
export function onlyTrusted(search: IssuerKeySearch, trust: Trust, onTrusted: () => void = () => {}): ResolveIssuerKey {
  return async (header, payload, what) => {
    // The key search reads the issuer in the same way. So no other member can name an issuer whose address is fetched.
    const claimed = claimedIssuer(payload)
    if (trust.certified && header.x5c !== undefined && (claimed === undefined || !(await trust.named(claimed)))) {
      const certified = await search.resolveCertifiedKey(header, payload, what)
      onTrusted()
      return certified
    }
    if (claimed !== undefined) {
      if (!(await trust.named(claimed))) {
        // With x5c the signer is the subject of the certificate (HAIP 1.0 §6.1.1); the claimed name proves nothing.
        const byCertificate = isByCertificate(search, header, claimed)
        throw untrusted(byCertificate ? (await search.resolveCertifiedKey(header, payload, what)).issuer : claimed)
      }
      onTrusted()
    }
    const found = await search.resolveIssuerKey(header, payload, what)
    const isCertified = trust.certified && found.certificate !== undefined
    if (found.issuer !== claimed && !isCertified) await assertNamed(trust, found.issuer)
    onTrusted()
    return found
  }
}
