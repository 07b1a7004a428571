import type { Config } from '../../config/config.js'
import { CredentialError, type ResolveIssuerKey } from '../../protocol/credential/verification.js'
import { isDid } from '../../protocol/did/did-url.js'
import { belongsTo } from '../../protocol/issuer-keys/did-issuer.js'
import { claimedIssuer } from '../../protocol/issuer-keys/resolve-issuer-key.js'
import type { JsonObject } from '../../protocol/json/json-object.js'

/** Whom a verification trusts. */
export interface Trust {
  /** Whether an issuer is trusted by its name. */
  readonly named: (issuer: string) => boolean | Promise<boolean>
  /** Whether every issuer is trusted whose certificate chain leads to a trust anchor, whatever its name. */
  readonly certified: boolean
}

const MAX_SHOWN = 256

const originOf = (issuer: string): string | undefined =>
  /^https?:/i.test(issuer) && URL.canParse(issuer) ? new URL(issuer).origin : undefined

/** This installation, as a list of trusted issuers means it by `self`. */
export interface OwnIssuers {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  /** Whether a DID is that of one of its issuers. */
  readonly isOwnIssuer: (did: string) => Promise<boolean>
}

/**
 * Trust by a list as TRUSTED_ISSUERS has it.
 *
 * @param entries `self` (this installation's issuers), `x5c` (everyone with a chain to TRUST_ANCHORS), `*` (anyone), DIDs, and
 *   origins, which stand for every issuer under them.
 */
export function trustIn({ config, isOwnIssuer }: OwnIssuers, entries: readonly string[]): Trust {
  const listed = new Set(entries.map((entry) => originOf(entry) ?? entry))
  const certified = listed.has('x5c')
  if (listed.has('*')) return { named: () => true, certified }
  const named: Trust['named'] = (issuer) => {
    // The name of a certificate's subject is free text, and might be one of the words.
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

/** Trust in the issuers that a request itself names, in addition to those that the configuration trusts. */
export const trustAlso = (trust: Trust, named: readonly string[] | undefined): Trust =>
  named === undefined ? trust : { ...trust, named: (issuer) => named.includes(issuer) || trust.named(issuer) }

/** DID Core 1.0 §3.1, without what a DID URL adds. */
const DID = /^did:[a-z0-9]+:[\w.:%-]+$/

/** Whether a name is one that can be added: a DID, or an origin in the form in which it is compared. */
const isAddable = (name: string): boolean => DID.test(name) || originOf(name) === name

/**
 * Trust in the issuers that were added to those of the configuration. They are asked for last, since it takes a statement.
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
  /** By the chain in `x5c` alone, which fetches nothing. */
  readonly resolveCertifiedKey: ResolveIssuerKey
  /** Whether there are trust anchors that a chain may lead to. */
  readonly isAnchored: boolean
}

/**
 * Whether the chain in `x5c` alone says who signed, whatever issuer is claimed. A `kid` of a claimed DID comes before the chain.
 *
 * @param header the header of the credential, not verified yet
 */
const isByCertificate = ({ isAnchored }: IssuerKeySearch, { x5c, kid }: JsonObject, claimed: string): boolean =>
  isAnchored && x5c !== undefined && !(isDid(claimed) && typeof kid === 'string' && belongsTo(kid, claimed))

/**
 * Finds the keys of trusted issuers only. The issuer that the credential claims is checked first, so that nothing is fetched
 * from an address of an untrusted issuer; a refusal names the subject of the certificate where there is one. The identifier that the key was found under is checked afterwards. An issuer that is
 * trusted for its certificate alone is judged by that and nothing else, whatever issuer the credential claims.
 *
 * @param onTrusted told once an issuer was found to be trusted
 */
export function onlyTrusted(search: IssuerKeySearch, trust: Trust, onTrusted: () => void = () => {}): ResolveIssuerKey {
  return async (header, payload, what) => {
    // The same reading as that of who looks for the key: no other member can name an issuer that is fetched from.
    const claimed = claimedIssuer(payload)
    if (trust.certified && header.x5c !== undefined && (claimed === undefined || !(await trust.named(claimed)))) {
      const certified = await search.resolveCertifiedKey(header, payload, what)
      onTrusted()
      return certified
    }
    if (claimed !== undefined) {
      if (!(await trust.named(claimed))) {
        // With x5c the signer is the subject of the certificate (HAIP 1.0 §6.1.1), and the claimed name is nobody's.
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
