import { type Config, ConfigurationError } from '../config/config.js'
import { recordsUnder, rotationTo } from '../key-rotation/rotate-keys.js'
import type { KeyRotationStore } from '../key-rotation/store.js'
import { type KeyMaking, keyInDatabase, type NewKey } from '../keys/new-key.js'
import type { KeyProviders } from '../keys/providers/providers.js'
import type { KeyStore, StoredKey } from '../keys/store.js'
import { didJwk } from '../protocol/did/did-jwk.js'
import { isSameKey, thumbprint } from '../protocol/jose/jws.js'
import { type CertifiedKey, certifiedKey } from './certified-key.js'
import type { AgentStore } from './store.js'

/** Dependencies of {@link createCertify}. */
export interface CertifyPorts extends Pick<KeyMaking, 'vault' | 'newId'> {
  readonly config: Config
  readonly providers: Pick<KeyProviders, 'find'>
  readonly agents: Pick<AgentStore, 'defaultIssuer' | 'defaultVerifier'>
  readonly keys: Pick<KeyStore, 'current' | 'newestUncertified' | 'ofKeySet'>
  readonly keyRotation: Pick<KeyRotationStore, 'isTaken' | 'rotate' | 'signAgain' | 'signingRecords'>
}

/**
 * The error for a key that a different record uses or has used. The usual cause is that at an earlier start the file
 * was named by the variable of the other owner.
 */
const usedKey = (owner: 'issuer' | 'verifier') =>
  refusal(owner, 'must hold a key that no other issuer or verifier uses or has used')

const refusal = (owner: 'issuer' | 'verifier', reason: string) =>
  new ConfigurationError(
    `Invalid environment variables:\n- ${owner === 'issuer' ? 'ISSUER_X509' : 'VERIFIER_X509'} ${reason}.`,
  )

/** The operations with the keys of ISSUER_X509 and VERIFIER_X509. They are called under the start lock. */
export function createCertify({ config, vault, newId, providers, agents, keys, keyRotation }: CertifyPorts) {
  /** @throws {ConfigurationError} if the provider does not have the key, or has a different key of this name. */
  async function newKeyOf(owner: 'issuer' | 'verifier', certified: CertifiedKey): Promise<NewKey> {
    const { alg, place, publicJwk, x5c } = certified
    if ('privateJwk' in place) return { ...(await keyInDatabase({ vault, newId }, { alg, publicJwk, ...place })), x5c }
    const found = await providers.find(place.provider, place.reference).catch((error: unknown) => {
      const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
      throw refusal(owner, `names a key that cannot be used: ${reason}`)
    })
    if (!isSameKey(found.publicJwk, publicJwk))
      throw refusal(owner, 'must begin with a certificate of the key that it names')
    return { id: newId(), alg, publicJwk, privateJwk: null, provider: place.provider, reference: found.reference, x5c }
  }

  /** The key of the database must not sign silently for a file that names a key of a provider. */
  function assertNamedPlace(owner: 'issuer' | 'verifier', { place }: CertifiedKey, { provider }: StoredKey): void {
    if ('privateJwk' in place || place.provider === provider) return
    const stored = provider === null ? 'the database' : `the key provider ${provider}`
    throw refusal(owner, `must name a new key of ${place.provider}, because ${stored} has this key already`)
  }

  /**
   * If the variable is not set any more, the newest key without certificate signs again. The key of the file must not
   * sign any more, because other people may have the file.
   */
  async function uncertify(keySetId: string, current: StoredKey, now: Date) {
    const [former, signing] = await Promise.all([
      // A key of a key provider cannot be in other hands. A key of the database must not replace it silently.
      current.provider === null ? keys.newestUncertified(keySetId) : current,
      keyRotation.signingRecords(),
    ])
    if (former === undefined) return
    const records = signing.filter((record) => record.keySetId === keySetId)
    const moved = recordsUnder(records, former.publicJwk, config)
    await keyRotation.signAgain({ keySetId, keyId: former.id, x5c: null, records: moved, at: now })
  }

  /**
   * The key with which a default record begins, if the file names a key of a provider. The record then never has a key in the
   * database, which would stay published.
   *
   * @throws {ConfigurationError} if the file cannot be used, or if another record has the key.
   */
  async function firstKey(owner: 'issuer' | 'verifier', now: Date): Promise<NewKey | undefined> {
    const certified = certifiedKey(owner, config, now)
    if (certified === undefined || 'privateJwk' in certified.place) return undefined
    const key = await newKeyOf(owner, certified)
    if (await keyRotation.isTaken([{ did: didJwk(key.publicJwk) }])) throw usedKey(owner)
    return key
  }

  /**
   * Lets the default issuer or verifier sign with the key of ISSUER_X509 or VERIFIER_X509, if the variable is set. A new key
   * becomes the record's newest key. If the key is a former key of the record, it signs again, with the chain that is in the file
   * now. If the variable is not set, a key without certificate signs again.
   *
   * @throws {ConfigurationError} if the file cannot be used.
   */
  async function certify(owner: 'issuer' | 'verifier', now: Date): Promise<void> {
    const certified = certifiedKey(owner, config, now)
    const record = await (owner === 'issuer' ? agents.defaultIssuer() : agents.defaultVerifier())
    if (record === undefined) return
    const { keySetId } = record
    const current = await keys.current(keySetId)
    if (certified === undefined) {
      if (current?.x5c != null) await uncertify(keySetId, current, now)
      return
    }
    const [all, signing] = await Promise.all([keys.ofKeySet(keySetId), keyRotation.signingRecords()])
    const { publicJwk, x5c } = certified
    const known = all.find((key) => thumbprint(key.publicJwk) === thumbprint(publicJwk))
    if (known !== undefined) assertNamedPlace(owner, certified, known)
    if (known !== undefined && known.id === current?.id && known.x5c?.join() === x5c.join()) return
    const records = signing.filter((record) => record.keySetId === keySetId)
    const [first] = records
    if (first === undefined) return
    if (known !== undefined) {
      const moved = recordsUnder(records, publicJwk, config)
      await keyRotation.signAgain({ keySetId, keyId: known.id, x5c, records: moved, at: now })
      return
    }
    const rotation = rotationTo(await newKeyOf(owner, certified), first, records, { config, at: now, actor: null })
    if (await keyRotation.isTaken(rotation.dids)) throw usedKey(owner)
    if (!(await keyRotation.rotate(rotation))) throw new Error('Keys were rotated during the start. Start again.')
  }

  return { certify, firstKey }
}
