import { keptTransactionData, type TransactionData } from '../../protocol/openid4vp/transaction-data.js'
import { opened, type SessionVault } from '../sessions/secrets.js'
import type { Session } from '../sessions/session.js'

/** Reads the transaction data of an open session, in the order of the request; empty if the request has none. */
export type ReadTransactionData = (
  session: Pick<Session, 'id' | 'secrets' | 'transactionData'>,
) => Promise<readonly TransactionData[]>

/** @param reveal reads the secrets of the session, which hold the transaction data */
export const createReadTransactionData =
  (reveal: SessionVault['reveal']): ReadTransactionData =>
  async (session) => {
    const { transactionData } = opened(session, await reveal(session))
    return keptTransactionData(transactionData ?? []).map(({ entry }) => entry)
  }
