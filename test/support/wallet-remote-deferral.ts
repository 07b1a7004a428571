import { randomUUID } from 'node:crypto'
import type { RemoteAnswer, RemoteHandler, SeenRequest } from './wallet-http.js'

/** The deferral of an independent issuer (OpenID4VCI 1.0 §9), and its decision. */
export interface RemoteDeferral {
  readonly interval: number
  /** Configurations that are deferred; all by default. */
  readonly only?: readonly string[]
  /**
   * How the issuer answers the next request of a wallet: the wallet must wait, gets the credential, or gets a different
   * answer.
   */
  decision: 'pending' | 'approved' | (() => RemoteAnswer)
  /** The requests, in order. */
  readonly asked: string[]
  /** The largest number of simultaneous requests for deferred credentials. */
  most: number
}

export const newRemoteDeferral = (interval = 5, only?: readonly string[]): RemoteDeferral => ({
  interval,
  ...(only === undefined ? {} : { only }),
  decision: 'pending',
  asked: [],
  most: 0,
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A credential endpoint that defers, and the endpoint for deferred credentials. */
export function deferring(
  credential: RemoteHandler,
  authenticate: (request: SeenRequest) => Promise<RemoteAnswer | undefined> | undefined,
  deferral: RemoteDeferral,
) {
  const kept = new Map<string, RemoteAnswer>()
  let underWay = 0
  const waiting = (transactionId: string): RemoteAnswer => ({
    status: 202,
    body: { transaction_id: transactionId, interval: deferral.interval },
  })

  const answerTo = (transactionId: string): RemoteAnswer => {
    const answer = kept.get(transactionId)
    if (answer === undefined) return { status: 400, body: { error: 'invalid_transaction_id' } }
    if (deferral.decision === 'pending') return waiting(transactionId)
    if (deferral.decision !== 'approved') return deferral.decision()
    kept.delete(transactionId)
    return answer
  }

  return {
    credential: async (request: SeenRequest): Promise<RemoteAnswer> => {
      const answer = await credential(request)
      const { notification_id: id } = (answer.body ?? {}) as { notification_id?: string }
      if ((answer.status ?? 200) !== 200 || deferral.only?.includes(id ?? '') === false) return answer
      const transactionId = randomUUID()
      kept.set(transactionId, answer)
      return waiting(transactionId)
    },
    deferred: async (request: SeenRequest): Promise<RemoteAnswer> => {
      underWay += 1
      deferral.most = Math.max(deferral.most, underWay)
      await pause(50)
      underWay -= 1
      const refused = await authenticate(request)
      if (refused !== undefined) return refused
      const { transaction_id: transactionId }: { transaction_id: string } = JSON.parse(request.text)
      deferral.asked.push(transactionId)
      return answerTo(transactionId)
    },
  }
}
