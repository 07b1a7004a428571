import { ConfigurationError } from '../config/config.js'
import { newIdentity, signingDidOf } from '../dids/identity.js'
import type { DidStore } from '../dids/store.js'
import { ensureEncryptionKey } from '../key-rotation/encryption-key.js'
import type { KeyRotationStore } from '../key-rotation/store.js'
import type { KeyProviders } from '../keys/providers/providers.js'
import type { KeyStore } from '../keys/store.js'
import type { Vault } from '../keys/vault.js'
import { didWebFromUrl } from '../protocol/did/did-web.js'
import { assertAttested } from './attested.js'
import { type CertifyPorts, createCertify } from './certify.js'
import { ensureRegistrations, type RegistrationFilePorts } from './registrations/file.js'
import type { AgentRecord, AgentStore } from './store.js'

/** Dependencies of {@link ensureDefaults}. */
export interface DefaultsPorts extends CertifyPorts {
  readonly providers: Pick<KeyProviders, 'assertHave' | 'find' | 'generate' | 'start'>
  readonly vault: Vault
  readonly keys: CertifyPorts['keys'] & Pick<KeyStore, 'inProviders'>
  readonly agents: CertifyPorts['agents'] &
    Pick<AgentStore, 'insertIssuer' | 'insertVerifier' | 'setSigning' | 'signAs'>
  readonly dids: Pick<DidStore, 'rename' | 'webDidOf'>
  readonly keyRotation: CertifyPorts['keyRotation'] & Pick<KeyRotationStore, 'begin'>
  readonly registrations: RegistrationFilePorts['registrations']
}

type Kind = 'issuer' | 'verifier'

/**
 * Creates the default issuer, the default verifier and the key for encrypted credential requests at the first start. At
 * each start, it also checks the key providers with their keys, and makes issuer and verifier sign with the keys of ISSUER_X509 and
 * VERIFIER_X509. It is called under the start lock.
 *
 * @throws {ConfigurationError} if a key provider or a key of it, ISSUER_X509, ISSUER_REGISTRATIONS, VERIFIER_X509,
 *   VERIFIER_ATTESTATION or VERIFIER_REGISTRATIONS cannot be used, or if a key does not lie in the configured provider.
 */
export async function ensureDefaults(ports: DefaultsPorts): Promise<void> {
  const { config, vault, newId, providers, agents, dids, keys, keyRotation } = ports
  const { certify, firstKey } = createCertify(ports)

  const providerOf = (kind: Kind) => (kind === 'issuer' ? config.keyProviders.ofIssuer : config.keyProviders.ofVerifier)

  async function create(kind: Kind, baseUrl: string): Promise<void> {
    const key = await firstKey(kind, new Date())
    const request = { method: 'web', purpose: kind, createdBy: null, baseUrl, provider: providerOf(kind), key } as const
    const identity = await newIdentity({ vault, newId, providers }, request)
    const record = { id: newId(), method: 'web', display: [], imageIds: [], isDefault: true, createdBy: null }
    const audit = [
      { actor: null, action: `${kind}.created`, subject: kind, subjectId: record.id },
      { actor: null, action: 'key.created', subject: 'key', subjectId: identity.key.id },
    ] as const
    if (kind === 'issuer') await agents.insertIssuer(record, identity, audit)
    else await agents.insertVerifier(record, identity, audit)
  }

  /** If the base URL has changed, a record signs under the DID of the new base URL. */
  async function follow(kind: Kind, record: AgentRecord, baseUrl: string): Promise<void> {
    const web = await dids.webDidOf(record.keySetId)
    const key = await keys.current(record.keySetId)
    if (web === undefined || key === undefined) return
    const hosted = didWebFromUrl(baseUrl, web.uuid)
    if (hosted !== web.did) await dids.rename(web.did, hosted)
    const did = signingDidOf(record.method, hosted, baseUrl, key.publicJwk)
    if (did !== record.did) await agents.signAs(kind, record.id, did)
  }

  /** A key in the database must not sign silently for a record whose key belongs into a provider. */
  async function assertPlace(kind: Kind, keySetId: string | undefined): Promise<void> {
    const wanted = providerOf(kind)
    const key = keySetId === undefined ? undefined : await keys.current(keySetId)
    if (wanted === undefined || key === undefined || key.provider === wanted) return
    const variable = kind === 'issuer' ? 'ISSUER_KEY_PROVIDER' : 'VERIFIER_KEY_PROVIDER'
    throw new ConfigurationError(
      `Invalid environment variables:\n- ${variable} is ${wanted}, but the key of the default ${kind} is in ${key.provider ?? 'the database'}. ` +
        `Run npm run keys:rotate -- --provider ${wanted}, or unset the variable.`,
    )
  }

  /** The certificate decides what the key signs. The record says the same, for those who read it. */
  async function followSigning(): Promise<void> {
    const record = await agents.defaultIssuer()
    if (record !== undefined) await agents.setSigning(record.id, config.issuerSigning, null)
  }

  async function ensure(kind: Kind, known: AgentRecord | undefined, baseUrl: string): Promise<void> {
    if (known === undefined) await create(kind, baseUrl)
    else await follow(kind, known, baseUrl)
    await certify(kind, new Date())
    if (kind === 'issuer') await followSigning()
    const record = await (kind === 'issuer' ? agents.defaultIssuer() : agents.defaultVerifier())
    await assertPlace(kind, record?.keySetId)
  }

  await providers.start()
  await ensure('issuer', await agents.defaultIssuer(), config.issuerBaseUrl)
  await ensure('verifier', await agents.defaultVerifier(), config.verifierBaseUrl)
  await providers.assertHave(await keys.inProviders())
  await assertAttested({ config, agents, keys }, new Date())
  await ensureRegistrations('issuer', ports, new Date())
  await ensureRegistrations('verifier', ports, new Date())
  if (config.credentialEncryption !== 'off') await ensureEncryptionKey({ vault, newId, keys, keyRotation })
}
