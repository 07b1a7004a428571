import { keyIdOf } from '../../dids/identity.js'
import type { CredentialFormat } from '../../formats/format.js'
import type { Formats } from '../../formats/registry.js'
import type { VerifiedCredential } from '../../formats/verifying.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { didOf } from '../../protocol/did/did-url.js'
import { isSameKey, readPublicJwk } from '../../protocol/jose/jws.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import type { Work } from '../../protocol/work.js'
import type { Description } from '../credentials/description.js'
import type { HeldContent } from '../credentials/held.js'
import { isNamedBy, newCopyKey, type WalletKey } from './wallet-keys.js'

/** The offered properties of a credential. */
export interface Expectation {
  readonly format: CredentialFormat
  /** `vct`, doctype, or every `type` that the credential must have. */
  readonly types: readonly string[]
  readonly credentialIssuer: string
  readonly configurationId: string
  /** Whether the credential may be bound to no key: its metadata name no binding method (OpenID4VCI 1.0 §12.2.4). */
  readonly mayBeUnbound: boolean
  /** How the issuer describes the credential, if it does. */
  readonly description?: Description | undefined
}

/** A verified credential that is bound to a key of the wallet. */
export interface Receipt {
  readonly compact: string
  /** The key that the credential is bound to, and the DID URL that signs its presentations. */
  readonly key: WalletKey
  readonly kid: string
  readonly content: HeldContent
}

function assertExpected(credential: VerifiedCredential, expected: Expectation): void {
  if (!expected.types.every((type) => credential.types.includes(type)))
    throw new CredentialError('Credential is of another type than was offered.')
  if (credential.holderProof !== undefined)
    throw new CredentialError(`Credential carries a ${credential.holderProof}, which only its holder can add.`)
}

function isConfirmedBy(cnf: JsonObject, key: WalletKey): boolean {
  if (isObject(cnf.jwk)) {
    const jwk = readPublicJwk(cnf.jwk)
    return jwk !== undefined && isSameKey(jwk, key.signer.publicJwk)
  }
  const { kid } = cnf
  const did = typeof kid === 'string' ? didOf(kid) : undefined
  if (did === undefined || !isNamedBy(key, did)) return false
  // The bare DID, or the id of exactly this key: the DID may have other keys.
  return kid === did || kid === keyIdOf(did, key.signer.publicJwk)
}

/**
 * The name under which a credential is bound to a key; undefined if the credential is bound to another key or to no
 * key.
 */
function boundName({ cnf, holder }: VerifiedCredential, key: WalletKey): string | undefined {
  const named = holder !== undefined && isNamedBy(key, holder) ? holder : undefined
  // RFC 7800 §3: if there is a confirmation key, this key proves possession.
  if (cnf !== undefined) return isConfirmedBy(cnf, key) ? (named ?? key.did) : undefined
  return named
}

function contentOf(credential: VerifiedCredential, expected: Expectation): HeldContent {
  const { types, issuer, issuerKey, issuedAt, expiresAt } = credential
  return {
    credentialIssuer: expected.credentialIssuer,
    configurationId: expected.configurationId,
    types: [...types],
    issuer,
    issuerKey: {
      jwk: issuerKey.jwk,
      issuer: issuerKey.issuer,
      ...(issuerKey.kid === undefined ? {} : { kid: issuerKey.kid }),
      ...(issuerKey.authority === undefined ? {} : { authority: issuerKey.authority }),
    },
    ...(expected.description === undefined ? {} : { description: expected.description }),
    ...(issuedAt === undefined ? {} : { issuedAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

/** Whether a credential names no key and no DID that it is bound to. */
const isUnbound = ({ cnf, holder }: VerifiedCredential): boolean =>
  cnf === undefined && holder?.startsWith('did:') !== true

/**
 * A credential that is bound to no key. Each copy is stored with a key, so the copy gets a new key that never signs
 * anything.
 *
 * @throws CredentialError if the credential is bound to a key after all, because no proof was made with that key.
 */
async function unboundReceipt(
  compact: string,
  credential: VerifiedCredential,
  expected: Expectation,
): Promise<Receipt> {
  if (!isUnbound(credential))
    throw new CredentialError('Credential is bound to a key, although its issuer says that it is bound to none.')
  const key = await newCopyKey()
  return { compact, key, kid: key.signer.kid, content: { ...contentOf(credential, expected), unbound: true } }
}

/** Dependencies of {@link createVerifyReceived}. */
export interface VerifyReceivedPorts {
  readonly formats: Pick<Formats, 'recognise'>
  /** Verifies a credential as its issuer issues it, with its status. @throws CredentialError */
  readonly check: (format: CredentialFormat, compact: string, work: Work) => Promise<VerifiedCredential>
}

/**
 * Verifies a credential that an issuer sent, and finds the proven key that it is bound to. Without keys it must be bound to none.
 * With keys it may be bound to none if its metadata name no binding method.
 *
 * @throws CredentialError if verification fails, if the credential was not offered, or if the credential is bound to a
 *   key of another wallet.
 */
export type VerifyReceived = ReturnType<typeof createVerifyReceived>

/** Creates {@link VerifyReceived} from its dependencies. */
export function createVerifyReceived({ formats, check }: VerifyReceivedPorts) {
  return async (compact: string, keys: readonly WalletKey[], expected: Expectation, work: Work): Promise<Receipt> => {
    if (formats.recognise(compact) !== expected.format) {
      throw new CredentialError('Credential has another format than was offered.')
    }
    const credential = await check(expected.format, compact, work)
    assertExpected(credential, expected)
    if (keys.length === 0 || (expected.mayBeUnbound && isUnbound(credential)))
      return unboundReceipt(compact, credential, expected)
    for (const key of keys) {
      const did = boundName(credential, key)
      if (did !== undefined) {
        return { compact, key, kid: keyIdOf(did, key.signer.publicJwk), content: contentOf(credential, expected) }
      }
    }
    throw new CredentialError('Credential is not bound to a key of this wallet.')
  }
}
