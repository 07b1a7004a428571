import type { Config } from '../config/config.js'
import type { Keys } from '../keys/keys.js'
import { signCompact } from '../protocol/jose/jws.js'
import { LruMap } from '../protocol/jose/lru-map.js'
import { keyIdOf } from './identity.js'
import type { RecordIdentity } from './store.js'

export const DID_CONFIGURATION_CONTEXT = 'https://identity.foundation/.well-known/did-configuration/v1'
const VALIDITY_MS = 365 * 24 * 60 * 60 * 1000
/** Time in which a signed credential is reused. */
const REUSE_MS = 60 * 60 * 1000
const MAX_KEPT = 4_000
const MAX_KEPT_BYTES = 8 * 1024 * 1024

export interface DomainLinkage {
  readonly did: string
  readonly jwt: string
}

const iso = (date: Date) => `${date.toISOString().slice(0, 19)}Z`
const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

/**
 * A Domain Linkage Credential as a JWT (DIF Well Known DID Configuration §4.2). Issuer and subject are the DID; the header has
 * only `alg` and `kid`.
 */
async function domainLinkageJwt(
  keys: Pick<Keys, 'signer'>,
  identity: RecordIdentity,
  origin: string,
  now: Date,
): Promise<string> {
  const { did, keyId, publicJwk } = identity
  const signer = await keys.signer(keyId, keyIdOf(did, publicJwk))
  const expires = new Date(now.getTime() + VALIDITY_MS)
  return signCompact(
    signer,
    {},
    {
      iss: did,
      sub: did,
      nbf: seconds(now),
      exp: seconds(expires),
      vc: {
        '@context': ['https://www.w3.org/2018/credentials/v1', DID_CONFIGURATION_CONTEXT],
        type: ['VerifiableCredential', 'DomainLinkageCredential'],
        issuer: did,
        issuanceDate: iso(now),
        expirationDate: iso(expires),
        credentialSubject: { id: did, origin },
      },
    },
  )
}

/**
 * Signs a credential for each DID with which an issuer or verifier record signs, and caches the credentials for an
 * hour.
 */
export function createDomainLinkages(
  keys: Pick<Keys, 'signer'>,
  config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>,
  clock: () => Date,
) {
  const signed = new LruMap<string, { readonly jwt: string; readonly until: number }>(MAX_KEPT, MAX_KEPT_BYTES)
  const originOf = (purpose: RecordIdentity['purpose']) =>
    new URL(purpose === 'verifier' ? config.verifierBaseUrl : config.issuerBaseUrl).origin

  return async (identities: readonly RecordIdentity[]): Promise<DomainLinkage[]> => {
    const now = clock()
    signed.deleteWhere(({ until }) => until <= now.getTime())
    return Promise.all(
      identities.map(async (identity) => {
        const name = `${identity.did} ${identity.keyId}`
        const known = signed.get(name)
        if (known !== undefined) return { did: identity.did, jwt: known.jwt }
        const jwt = await domainLinkageJwt(keys, identity, originOf(identity.purpose), now)
        signed.set(name, { jwt, until: now.getTime() + REUSE_MS }, name.length + jwt.length)
        return { did: identity.did, jwt }
      }),
    )
  }
}

export type DomainLinkages = ReturnType<typeof createDomainLinkages>
