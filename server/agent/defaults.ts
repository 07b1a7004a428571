import type { Config } from '../config/config.js'
import { newIdentity, signingDidOf } from '../dids/identity.js'
import type { DidStore } from '../dids/store.js'
import { ensureEncryptionKey } from '../key-rotation/encryption-key.js'
import type { KeyRotationStore } from '../key-rotation/store.js'
import type { KeyStore } from '../keys/store.js'
import type { Vault } from '../keys/vault.js'
import { didWebFromUrl } from '../protocol/did/did-web.js'
import { assertAttested } from './attested.js'
import { certifyDefault } from './certify.js'
import type { AgentRecord, AgentStore } from './store.js'

/** The ports of {@link ensureDefaults}. */
export interface DefaultsPorts {
  readonly config: Config
  readonly vault: Vault
  readonly newId: () => string
  readonly agents: AgentStore
  readonly dids: Pick<DidStore, 'rename' | 'webDidOf'>
  readonly keys: KeyStore
  readonly keyRotation: KeyRotationStore
}

type Kind = 'issuer' | 'verifier'

async function create(
  { agents, vault, newId }: Pick<DefaultsPorts, 'agents' | 'vault' | 'newId'>,
  kind: Kind,
  baseUrl: string,
): Promise<void> {
  const identity = await newIdentity(vault, newId, {
    method: 'web',
    purpose: kind,
    createdBy: null,
    baseUrl,
  })
  const record = { id: newId(), method: 'web', display: [], isDefault: true, createdBy: null }
  const audit = [
    { actor: null, action: `${kind}.created`, subject: kind, subjectId: record.id },
    { actor: null, action: 'key.created', subject: 'key', subjectId: identity.key.id },
  ] as const
  if (kind === 'issuer') await agents.insertIssuer(record, identity, audit)
  else await agents.insertVerifier(record, identity, audit)
}

/** After a change of the base URL, a record signs under the DID of the new base URL. */
async function follow(
  { agents, dids, keys }: Pick<DefaultsPorts, 'agents' | 'dids' | 'keys'>,
  kind: Kind,
  record: AgentRecord,
  baseUrl: string,
): Promise<void> {
  const web = await dids.webDidOf(record.keySetId)
  const key = await keys.current(record.keySetId)
  if (web === undefined || key === undefined) return
  const hosted = didWebFromUrl(baseUrl, web.uuid)
  if (hosted !== web.did) await dids.rename(web.did, hosted)
  const did = signingDidOf(record.method, hosted, baseUrl, key.publicJwk)
  if (did !== record.did) await agents.signAs(kind, record.id, did)
}

/**
 * Creates, on first start, the default issuer, the default verifier and the key for encrypted credential requests. Gives issuer
 * and verifier their certified keys. Call it under the start lock.
 *
 * @throws {ConfigurationError} if ISSUER_X509, VERIFIER_X509 or VERIFIER_ATTESTATION cannot be used.
 */
export async function ensureDefaults(start: DefaultsPorts): Promise<void> {
  const { agents } = start
  const { issuerBaseUrl, verifierBaseUrl } = start.config
  const issuer = await agents.defaultIssuer()
  if (issuer === undefined) await create(start, 'issuer', issuerBaseUrl)
  else await follow(start, 'issuer', issuer, issuerBaseUrl)
  await certifyDefault(start, 'issuer', new Date())
  const verifier = await agents.defaultVerifier()
  if (verifier === undefined) await create(start, 'verifier', verifierBaseUrl)
  else await follow(start, 'verifier', verifier, verifierBaseUrl)
  await certifyDefault(start, 'verifier', new Date())
  await assertAttested(start, new Date())
  if (start.config.credentialEncryption !== 'off') await ensureEncryptionKey(start)
}
