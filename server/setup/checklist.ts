import type { z } from 'zod'
import { storedWarnings } from '../agent/certificate-watch.js'
import type { Deps } from '../deps.js'
import { issuerOf } from '../wiring/issuer.js'
import { clientSecretItem, identityProviderItem, redisItem, signInItem } from './access.js'
import { addressItems, statusListItem } from './addresses.js'
import { item, type SetupItem } from './item.js'
import type { readSetup } from './setup.contract.js'
import { SETUP_ITEMS } from './setup.contract.js'
import { certificateItems, httpsItem, keyEncryptionItem, keyItems } from './signing.js'
import { startupWarnings } from './startup-warnings.js'

async function credentialTypesItem({ stores }: Pick<Deps, 'stores'>): Promise<SetupItem> {
  return (await stores.schemas.isAny())
    ? item('credentialTypes', 'ok', 'There are credential types to issue.')
    : item('credentialTypes', 'missing', 'There is no credential type yet.', 'Make one (POST /schemas).')
}

/** Wallets in the field read no more than 256 KiB of metadata, and every type adds to them. */
const MANY_METADATA_BYTES = 200_000

/** Whether wallets can be expected to read what the issuer publishes of itself and of all its types. */
async function issuerMetadataItem(deps: Deps): Promise<SetupItem> {
  const bytes = Buffer.byteLength(await issuerOf(deps).metadata.issuer())
  const size = `${Math.ceil(bytes / 1_000)} KB`
  return bytes < MANY_METADATA_BYTES
    ? item('issuerMetadata', 'ok', `The issuer's metadata are ${size}.`)
    : item(
        'issuerMetadata',
        'warning',
        `The issuer's metadata are ${size}: some wallets refuse more than 256 KB, and take no credential then.`,
        'Withdraw types that are not issued, or have fewer names of claims, languages and pictures in them.',
      )
}

/** What is known only after others were asked: it may take seconds. */
const askedItems = async (deps: Deps): Promise<SetupItem[]> =>
  (
    await Promise.all([
      addressItems(deps),
      Promise.all([identityProviderItem(deps), statusListItem(deps), redisItem(deps.config)]),
    ])
  ).flat()

/**
 * Everything that an operator should have looked at.
 *
 * @param ask whether others are asked; without that their items are left out
 */
export async function checklist(deps: Deps, ask: boolean): Promise<z.input<typeof readSetup.output>> {
  const { config } = deps
  const now = deps.clock()
  const [stored, ...found] = await Promise.all([
    storedWarnings(deps, now),
    ask ? askedItems(deps) : [],
    keyItems(deps),
    credentialTypesItem(deps),
    issuerMetadataItem(deps),
  ])
  const items = [
    ...found.flat(),
    httpsItem(config),
    signInItem(config),
    clientSecretItem(config),
    keyEncryptionItem(config),
    ...certificateItems(config, now),
  ]
  return {
    items: items.toSorted((a, b) => SETUP_ITEMS.indexOf(a.id) - SETUP_ITEMS.indexOf(b.id)),
    warnings: [...startupWarnings(config, now), ...stored.map(({ text }) => text)],
  }
}
