import type { Deps } from '../../deps.js'
import { keyIdOf } from '../../dids/identity.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { didOf } from '../../protocol/did/did-url.js'
import { isSameKey, readPublicJwk } from '../../protocol/jose/jws.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { texts } from '../../protocol/jwt-vc/vc.js'
import { type CheckedCredential, checkCredential } from '../../verifier/verify/check-credential.js'
import type { HeldContent } from '../credentials/held.js'
import type { WalletFormat } from '../credentials/store.js'
import { isNamedBy, type WalletKey } from '../protocol/wallet-keys.js'

/** What an offer says that a credential will be. */
export interface Expectation {
  readonly format: WalletFormat
  /** `vct`, or every `type` that it must have. */
  readonly types: readonly string[]
  readonly credentialIssuer: string
  readonly configurationId: string
}

/** A credential that was verified and is bound to a key of the wallet. */
export interface Receipt {
  readonly compact: string
  /** The key that it is bound to, and the DID URL under which a presentation of it is signed. */
  readonly key: WalletKey
  readonly kid: string
  readonly content: HeldContent
}

const typesOf = (checked: CheckedCredential): readonly string[] =>
  checked.format === 'dc+sd-jwt' ? [checked.vct] : texts(checked.vc.type)

function assertExpected(checked: CheckedCredential, expected: Expectation): void {
  const format = checked.format === 'jwt_vc' ? 'jwt_vc_json' : checked.format
  if (format !== expected.format) throw new CredentialError('Credential has another format than was offered.')
  const types = typesOf(checked)
  if (!expected.types.every((type) => types.includes(type)))
    throw new CredentialError('Credential is of another type than was offered.')
  if (checked.format === 'dc+sd-jwt' && checked.keyBindingJwt !== undefined)
    throw new CredentialError('Credential carries a Key Binding JWT, which only its holder can add.')
}

function isConfirmedBy(cnf: JsonObject, key: WalletKey): boolean {
  if (isObject(cnf.jwk)) {
    const jwk = readPublicJwk(cnf.jwk)
    return jwk !== undefined && isSameKey(jwk, key.signer.publicJwk)
  }
  const { kid } = cnf
  const did = typeof kid === 'string' ? didOf(kid) : undefined
  if (did === undefined || !isNamedBy(key, did)) return false
  // A DID may have further keys: those are not this one.
  return kid === did || kid === keyIdOf(did, key.signer.publicJwk)
}

/** The name under which a credential is bound to a key; undefined where it is bound to another, or to none. */
function boundName(checked: CheckedCredential, key: WalletKey): string | undefined {
  const { cnf } = checked
  const subject = checked.format === 'jwt_vc' ? checked.subjectId : undefined
  const named = subject !== undefined && isNamedBy(key, subject) ? subject : undefined
  // RFC 7800 §3: where there is a confirmation key, it is the one that proves possession.
  if (cnf !== undefined) return isConfirmedBy(cnf, key) ? (named ?? key.did) : undefined
  return named
}

const seconds = (payload: JsonObject, ...names: readonly string[]): number | undefined =>
  names.map((name) => payload[name]).find((value) => typeof value === 'number')

function contentOf(checked: CheckedCredential, expected: Expectation): HeldContent {
  const issuedAt = seconds(checked.payload, 'iat', 'nbf')
  const expiresAt = seconds(checked.payload, 'exp')
  return {
    credentialIssuer: expected.credentialIssuer,
    configurationId: expected.configurationId,
    types: [...typesOf(checked)],
    issuer: checked.issuer,
    issuerKey: { ...checked.issuerKey },
    ...(issuedAt === undefined ? {} : { issuedAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

/**
 * Verifies a credential that an issuer sent, and finds which of the proven keys it is bound to.
 *
 * @throws CredentialError where it does not verify, is not what was offered, or is bound to a key that is not the
 * wallet's.
 */
export async function receive(
  deps: Deps,
  compact: string,
  keys: readonly WalletKey[],
  expected: Expectation,
): Promise<Receipt> {
  const checked = await checkCredential(deps, compact)
  assertExpected(checked, expected)
  for (const key of keys) {
    const did = boundName(checked, key)
    if (did !== undefined) {
      return { compact, key, kid: keyIdOf(did, key.signer.publicJwk), content: contentOf(checked, expected) }
    }
  }
  throw new CredentialError('Credential is not bound to a key of this wallet.')
}
