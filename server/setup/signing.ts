import { certificateEnd, expiriesOf, WARN_DAYS } from '../agent/certificate-watch.js'
import type { AgentRecord, AgentStore } from '../agent/store.js'
import { type Config, encrypts } from '../config/config.js'
import type { KeyStore } from '../keys/store.js'
import { DAY_SECONDS } from '../maintenance/task.js'
import { item, type SetupId, type SetupItem } from './item.js'

/** Checks that the base URLs use https. Plain http is only for local development. */
export function httpsItem({
  issuerBaseUrl,
  verifierBaseUrl,
}: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>): SetupItem {
  const plain = Object.entries({ ISSUER_BASE_URL: issuerBaseUrl, VERIFIER_BASE_URL: verifierBaseUrl })
    .filter(([, url]) => new URL(url).protocol !== 'https:')
    .map(([variable]) => variable)
  if (plain.length === 0) return item('https', 'ok', 'Both base URLs are https.')
  return item(
    'https',
    'warning',
    `${plain.join(' and ')} ${plain.length === 1 ? 'is' : 'are'} plain http: most wallets refuse plain http, and others can read the traffic.`,
    'Put a proxy with a certificate in front of the service. Set both base URLs to https and remove ALLOW_INSECURE_HTTP.',
  )
}

export const keyEncryptionItem = (config: Pick<Config, 'keyEncryptionKeys' | 'wrapping'>): SetupItem =>
  encrypts(config)
    ? item('keyEncryption', 'ok', 'Private keys and secrets are stored encrypted.')
    : item(
        'keyEncryption',
        'missing',
        'KEY_ENCRYPTION_KEY is not set: private keys are stored in the clear.',
        'Set KEY_ENCRYPTION_KEY to 32 random bytes in base64url.',
      )

async function keyItem(
  keys: Pick<KeyStore, 'current'>,
  id: SetupId,
  who: string,
  record: AgentRecord | undefined,
): Promise<SetupItem> {
  const key = record === undefined ? undefined : await keys.current(record.keySetId)
  return record === undefined || key === undefined
    ? item(id, 'missing', `The ${who} has no key.`, 'Restart the service: the start creates the missing key.')
    : item(id, 'ok', `The ${who} signs with ${key.alg} as ${record.did}.`)
}

/** Checks the signing keys of the default issuer and the default verifier. */
export async function keyItems(
  agents: Pick<AgentStore, 'defaultIssuer' | 'defaultVerifier'>,
  keys: Pick<KeyStore, 'current'>,
): Promise<SetupItem[]> {
  const [issuer, verifier] = await Promise.all([agents.defaultIssuer(), agents.defaultVerifier()])
  return Promise.all([
    keyItem(keys, 'issuerKey', 'default issuer', issuer),
    keyItem(keys, 'verifierKey', 'default verifier', verifier),
  ])
}

interface File {
  readonly id: SetupId
  readonly variable: string
  readonly end: Date | undefined
  /** What happens if the file is not set. */
  readonly without: string
}

function fileItem({ id, variable, end, without }: File, now: Date): SetupItem {
  if (end === undefined) return item(id, 'unused', `${variable} is not set: ${without}.`)
  const expiresAt = end.toISOString()
  const left = (end.getTime() - now.getTime()) / 1000
  if (left > WARN_DAYS * DAY_SECONDS)
    return { ...item(id, 'ok', `${variable} is valid until ${expiresAt}.`), expiresAt }
  const renew = `Renew ${variable} and restart.`
  return left > 0
    ? { ...item(id, 'warning', `${variable} expires at ${expiresAt}.`, renew), expiresAt }
    : { ...item(id, 'failed', `${variable} expired at ${expiresAt}.`, renew), expiresAt }
}

/** Checks the service's files and their expiry. */
export function certificateItems(config: Config, now: Date): SetupItem[] {
  const { issuerCertificate, verifierCertificate, verifierAttestation } = expiriesOf(config)
  const files: readonly File[] = [
    {
      id: 'issuerCertificate',
      variable: 'ISSUER_X509',
      end: issuerCertificate,
      without: 'the default issuer issues no mobile documents, and wallets know it by its DID',
    },
    {
      id: 'verifierCertificate',
      variable: 'VERIFIER_X509',
      end: verifierCertificate,
      without: 'wallets know the verifier by its DID',
    },
    {
      id: 'verifierAttestation',
      variable: 'VERIFIER_ATTESTATION',
      end: verifierAttestation,
      without: 'the verifier has no attestation',
    },
    {
      id: 'walletProvider',
      variable: 'WALLET_PROVIDER_X509',
      end: certificateEnd(config.walletProviderX509),
      without: 'hosted wallets have no attestations, which some issuers require',
    },
  ]
  return files.map((file) => fileItem(file, now))
}
