import { WORK_PER_REQUEST } from '../../api/context.js'
import type { CredentialFormat } from '../../formats/format.js'
import type { Log } from '../../log/log.js'
import { Work } from '../../protocol/work.js'
import { failureReason } from '../exchange/failure.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { CredentialResponse } from './credential-response.js'
import { dpopOf, type Grant, type Session } from './issuance.js'
import type { Expectation, Receipt, VerifyReceived } from './verify-received.js'
import type { WalletKey } from './wallet-keys.js'

/** A received credential. */
export interface Taken {
  readonly format: CredentialFormat
  /** Copies of one credential, each bound to its own key. */
  readonly receipts: readonly [Receipt, ...Receipt[]]
}

/** Dependencies of {@link createTakeAnswer}. */
export interface TakeAnswerPorts {
  readonly verifyReceived: VerifyReceived
  readonly log: Pick<Log, 'warn'>
}

/**
 * Verifies the credentials that an issuer sent, stores them, and notifies the issuer of success or failure.
 *
 * @param keep stores verified credentials.
 * @throws WalletError or CredentialError for credentials that are not accepted.
 */
export type TakeAnswer = ReturnType<typeof createTakeAnswer>

/** Creates {@link TakeAnswer} from its dependencies. */
export function createTakeAnswer({ verifyReceived, log }: TakeAnswerPorts) {
  /** Notifies the issuer of the result (OpenID4VCI 1.0 §11). A failure of the notification is ignored. */
  async function notify({ client, metadata }: Session, grant: Grant, id: string | undefined, accepted: boolean) {
    if (id === undefined || metadata.credentialIssuer.notification_endpoint === undefined) return
    const event = accepted ? ('credential_accepted' as const) : ('credential_failure' as const)
    try {
      await client.sendNotification({
        issuerMetadata: metadata,
        accessToken: grant.token.access_token,
        notification: { notificationId: id, event },
        ...dpopOf(grant),
      })
    } catch (thrown) {
      log.warn({ reason: failureReason(thrown) }, 'issuer was not notified')
    }
  }

  async function receiveAll(
    compacts: readonly string[],
    keys: readonly WalletKey[],
    expected: Expectation,
  ): Promise<Taken> {
    const work = new Work(WORK_PER_REQUEST)
    const [first, ...further] = await Promise.all(
      compacts.map((compact) => verifyReceived(compact, keys, expected, work)),
    )
    if (first === undefined) throw new WalletError('The issuer sent no credential.')
    const bound = new Set([first, ...further].map(({ key }) => key.signer.kid))
    if (bound.size <= further.length) throw new WalletError('The issuer bound two copies to one key.')
    return { format: expected.format, receipts: [first, ...further] }
  }

  return async <T>(
    session: Session,
    grant: Grant,
    answer: Extract<CredentialResponse, { kind: 'issued' }>,
    { expected, keys }: { readonly expected: Expectation; readonly keys: readonly WalletKey[] },
    keep: (taken: Taken) => Promise<T>,
  ): Promise<T> => {
    try {
      const kept = await keep(await receiveAll(answer.compacts, keys, expected))
      await notify(session, grant, answer.notificationId, true)
      return kept
    } catch (thrown) {
      await notify(session, grant, answer.notificationId, false)
      throw thrown
    }
  }
}
