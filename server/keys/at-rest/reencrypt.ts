import { ConfigurationError } from '../../config/config.js'
import { kekId } from '../../protocol/jose/sealed.js'
import { createClaimsVault, installationOf } from '../claims/vault.js'
import { openEncryption } from './encryption.js'
import type { Root } from './root.js'
import type { AtRestStore } from './store.js'
import { createWalks, type RefusedValue } from './walk.js'
import type { WalkStore } from './walk-store.js'

const BATCH = 500
/** Maximum of values that a message names; the rest are counted. */
const MAX_NAMED = 20

export interface ReencryptPorts {
  readonly store: AtRestStore
  readonly walkStore: WalkStore
  readonly keys: readonly Uint8Array[]
  readonly root: Root
}

/**
 * Does the work of the maintenance job at once. It encrypts all values in the clear. It moves all values and content keys under a former
 * key-encryption key to the current one. It can be repeated at any time.
 *
 * @returns the number of changed values.
 * @throws {ConfigurationError} at the end, if values had a form that this service does not write. These values stay
 *   unchanged
 */
export async function reencrypt({ store, walkStore, keys, root }: ReencryptPorts): Promise<number> {
  const encryption = await openEncryption({ store, keys, log: { warn: () => {} } }, root)
  const claims = createClaimsVault({
    keys,
    installation: installationOf(root.secret),
    clearIsRefused: encryption.isEncrypted,
    onRefused: () => {},
  })
  const [current] = keys
  if (current === undefined) throw new ConfigurationError('There is no key-encryption key.')
  const keyId = kekId(current)
  const refused: RefusedValue[] = []
  let count = 0
  try {
    for (const walk of createWalks({ store: walkStore, keys, claims, isEncrypted: encryption.isEncrypted })) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const batch = await walk.batch(after, BATCH)
        count += batch.changed
        refused.push(...batch.refused)
        after = batch.position
      }
      await encryption.complete(walk.name, keyId)
    }
  } finally {
    encryption.close()
  }
  if (refused.length === 0) return count
  const named = refused
    .slice(0, MAX_NAMED)
    .map(({ name }) => name)
    .join(', ')
  const more = refused.length > MAX_NAMED ? ` and ${refused.length - MAX_NAMED} more` : ''
  throw new ConfigurationError(
    `${count} values encrypted anew. Values that are not encrypted for their rows are refused and stay unchanged: ${named}${more}.`,
  )
}
