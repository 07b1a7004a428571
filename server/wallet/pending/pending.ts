import type { Deps } from '../../deps.js'
import { DAY_SECONDS } from '../../maintenance/task.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { Deferral } from '../openid4vci/deferral.js'
import { protectDeferral } from './content.js'

/** For how many deferred issuances one holder may wait. */
const MAX_OF_A_HOLDER = 50
/** How long at most: as long as refresh tokens are usually good. */
const MAX_SECONDS = 90 * DAY_SECONDS
/** From then on an issuer is asked once an hour, unless it wants to be asked less. */
const HOUR_SECONDS = 3_600

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)

/**
 * When to ask next: no sooner than the issuer said (OpenID4VCI 1.0 §8.3), and less often the longer it takes, since nothing
 * tells an answer that comes in seconds from one that comes in weeks.
 */
export function nextAsk({ transactions }: Deferral, createdAt: Date, now: Date): Date {
  const age = (now.getTime() - createdAt.getTime()) / 1000
  const asked = Math.max(...transactions.map(({ intervalSeconds }) => intervalSeconds))
  return after(now, Math.min(Math.max(asked, Math.min(age / 20, HOUR_SECONDS)), MAX_SECONDS))
}

/** Without a refresh token nothing comes after the end of the access token. */
function endOf({ grant: { token, expiresAt } }: Deferral, now: Date): Date {
  const last = after(now, MAX_SECONDS)
  return token.refresh_token === undefined && expiresAt !== undefined && expiresAt < last ? expiresAt : last
}

/**
 * Stores what an issuer deferred, to be asked for by the maintenance job.
 *
 * @throws WalletError where the holder waits for too much already.
 */
export async function waitFor(
  deps: Pick<Deps, 'clock' | 'newId' | 'stores' | 'vault'>,
  { holderId, actor }: { readonly holderId: string; readonly actor: string },
  deferral: Deferral,
): Promise<void> {
  const id = deps.newId()
  const now = deps.clock()
  const keyIds = deferral.transactions.flatMap(({ keys }) => keys.flatMap(({ keyId }) => keyId ?? []))
  const row = {
    id,
    holderId,
    createdBy: actor,
    content: await protectDeferral(deps, id, deferral),
    keyIds: [...new Set(keyIds)],
    askAt: nextAsk(deferral, now, now),
    createdAt: now,
    expiresAt: endOf(deferral, now),
  }
  if (!(await deps.stores.pendingIssuances.insert(row, MAX_OF_A_HOLDER)))
    throw new WalletError('The wallet waits for as many deferred credentials as it may.')
}
