import type { z } from 'zod'
import type { CertificateWatch } from '../agent/certificate-watch.js'
import type { Config } from '../config/config.js'
import { clientSecretItem, signInItem } from './access.js'
import { item, type SetupItem } from './item.js'
import type { readSetup } from './setup.contract.js'
import { SETUP_ITEMS } from './setup.contract.js'
import { certificateItems, httpsItem, keyEncryptionItem } from './signing.js'
import { startupWarnings } from './startup-warnings.js'

/**
 * Size of issuer metadata above which the checklist warns. Some wallets read at most 256 KiB, and each credential type
 * makes the metadata larger.
 */
const MANY_METADATA_BYTES = 200_000

/** Checks that there is a credential type to issue. */
export const credentialTypesItem = (isAny: boolean): SetupItem =>
  isAny
    ? item('credentialTypes', 'ok', 'There are credential types to issue.')
    : item(
        'credentialTypes',
        'missing',
        'There is no credential type yet.',
        'Create a credential type (POST /schemas).',
      )

/** Checks that wallets can read the issuer's metadata, which describe all credential types. */
export function issuerMetadataItem(metadata: string): SetupItem {
  const bytes = Buffer.byteLength(metadata)
  const size = `${Math.ceil(bytes / 1_000)} KB`
  return bytes < MANY_METADATA_BYTES
    ? item('issuerMetadata', 'ok', `The issuer's metadata are ${size}.`)
    : item(
        'issuerMetadata',
        'warning',
        `The issuer's metadata are ${size}: some wallets refuse more than 256 KB, and then accept no credential.`,
        'Withdraw types that are not issued. Or use fewer claim names, languages and pictures in the types.',
      )
}

/** The last outcome of a claims source of a credential type. */
interface SourceHealth {
  readonly name: string
  readonly failing: boolean
  readonly lastFailure: string | null
}

/** Checks that the claims sources of credential types answered their last requests. */
export function claimsSourcesItem(sources: readonly SourceHealth[]): SetupItem {
  const failing = sources.filter((source) => source.failing)
  const [first] = failing
  if (sources.length === 0) return item('claimsSources', 'unused', 'No credential type has a claims source.')
  if (first === undefined) return item('claimsSources', 'ok', 'No claims source failed at its last request.')
  const others = failing.length === 1 ? '' : ` ${failing.length - 1} more claims sources failed.`
  return item(
    'claimsSources',
    'failed',
    `The claims source of ${first.name} failed at its last request: ${first.lastFailure ?? ''}${others}`,
    'Test the claims source at its credential type (POST /api/v1/schemas/{id}/claims-source/test).',
  )
}

/** The state of an active webhook, or of one that the service switched off. */
interface WebhookHealth {
  readonly url: string
  readonly disabled: boolean
  readonly lastError: string | null
}

/** Checks that the receivers of webhooks accept deliveries. */
export function webhooksItem(webhooks: readonly WebhookHealth[]): SetupItem {
  const failing = webhooks.filter(({ disabled, lastError }) => disabled || lastError !== null)
  const [first] = failing
  if (webhooks.length === 0) return item('webhooks', 'unused', 'There is no active webhook.')
  if (first === undefined) return item('webhooks', 'ok', 'No webhook failed at its last delivery.')
  const { host } = new URL(first.url)
  const others = failing.length === 1 ? '' : ` ${failing.length - 1} more webhooks fail.`
  const sentence = first.disabled
    ? `The webhook to ${host} was switched off`
    : `The webhook to ${host} failed at its last delivery`
  return item(
    'webhooks',
    first.disabled ? 'failed' : 'warning',
    `${sentence}: ${first.lastError ?? 'the receiver answered 410.'}${others}`,
    'Test the webhook (POST /api/v1/webhooks/{id}/test). Then activate it (POST /api/v1/webhooks/{id}) and replay its events.',
  )
}

/** Dependencies of {@link createSetup}. */
export interface SetupPorts {
  readonly config: Config
  readonly clock: () => Date
  readonly storedWarnings: CertificateWatch['storedWarnings']
  /** The items that need only the database. */
  readonly storedItems: () => Promise<readonly SetupItem[]>
  /** The items that need answers of other servers. The answers may take seconds. */
  readonly askedItems: () => Promise<readonly SetupItem[]>
}

export type Setup = ReturnType<typeof createSetup>

/** The checklist of an installation. */
export const createSetup = ({ config, clock, storedWarnings, storedItems, askedItems }: SetupPorts) => ({
  /**
   * All items that an operator should check.
   *
   * @param ask true to ask other servers; otherwise the items about other servers are left out
   */
  async read(ask: boolean): Promise<z.input<typeof readSetup.output>> {
    const now = clock()
    const [warnings, stored, asked] = await Promise.all([storedWarnings(now), storedItems(), ask ? askedItems() : []])
    const items = [
      ...stored,
      ...asked,
      httpsItem(config),
      signInItem(config),
      clientSecretItem(config),
      keyEncryptionItem(config),
      ...certificateItems(config, now),
    ]
    return {
      items: items.toSorted((a, b) => SETUP_ITEMS.indexOf(a.id) - SETUP_ITEMS.indexOf(b.id)),
      warnings: [...startupWarnings(config, now), ...warnings.map(({ text }) => text)],
    }
  },
})
