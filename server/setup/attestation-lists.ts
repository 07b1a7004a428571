import { item, type SetupItem } from './item.js'

/** The status lists of wallet providers: their number, and the list that failed first. */
export interface AttestationLists {
  readonly count: number
  readonly unreadable: number
  /** Since when a list cannot be read. */
  readonly since: Date | null
  readonly uri: string | null
  readonly failure: string | null
}

/** Checks that the status lists of wallet attestations and key attestations could be read again after the issuance. */
export function attestationListsItem({ count, unreadable, since, uri, failure }: AttestationLists): SetupItem {
  if (count === 0)
    return item(
      'attestationLists',
      'unused',
      'No attestation of a wallet is looked at again: no type has issued such credentials.',
    )
  const lists = count === 1 ? 'The status list' : `All ${count} status lists`
  if (unreadable === 0 || since === null)
    return item('attestationLists', 'ok', `${lists} of wallet providers can be read.`)
  return item(
    'attestationLists',
    'failed',
    `${unreadable} of ${count} status lists of wallet providers cannot be read: revoked wallets stay unnoticed. ` +
      `${uri} since ${since.toISOString()}: ${failure}`,
    'Ask the wallet provider. Check that this service can reach the address, and that WALLET_CLIENTS and WALLET_TRUST_ANCHORS are current.',
  )
}
