import type { z } from 'zod'
import type { Metrics } from '../../metrics/metrics.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { zNotificationRequest } from '../../protocol/openid4vci/requests.js'
import type { Seals } from './sealed.js'
import { canMove, moved } from './sessions/session.js'
import type { OfferSessionStore } from './sessions/store.js'
import type { TokenContext } from './tokens/store.js'

type Notification = z.infer<typeof zNotificationRequest>

/** The members of an access token that notifications need. */
type NotifyingToken = Pick<TokenContext, 'credentialGood' | 'credentialId' | 'offeringId' | 'session'>

const MAX_DESCRIPTION = 300

const FAILED_CHECKS = { credential_failure: 'credential-failure', credential_deleted: 'credential-deleted' } as const

/** §11.1: the characters that a description may contain. Other characters are replaced before it is stored. */
const printable = (text: string) => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'").slice(0, MAX_DESCRIPTION)

/** The session's error message for a credential that the wallet did not keep. */
function failureText({ event, event_description: description }: Notification): string {
  const what =
    event === 'credential_deleted' ? 'The wallet deleted the credential' : 'The wallet could not take the credential'
  return description === undefined ? `${what}.` : `${what}: ${printable(description)}`
}

/** Dependencies of {@link createNotifications}. */
export interface NotificationsPorts {
  readonly seals: Pick<Seals, 'openNotificationId'>
  readonly offerSessions: Pick<OfferSessionStore, 'move'>
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly clock: () => Date
}

export type Notifications = ReturnType<typeof createNotifications>

/** Takes the notifications of wallets about their credentials. */
export function createNotifications({ seals, offerSessions, metrics, clock }: NotificationsPorts) {
  return {
    /**
     * Records whether the wallet kept a credential (OpenID4VCI 1.0 §11). Idempotent: a repeat changes nothing.
     *
     * @throws OAuthError `invalid_notification_id` for an id that was not issued under this access token.
     */
    async take(token: NotifyingToken, notification: Notification): Promise<void> {
      const named = seals.openNotificationId(notification.notification_id)
      if (named === undefined || named.offeringId !== token.offeringId || named.credentialId !== token.credentialId) {
        throw new OAuthError('invalid_notification_id', 'The notification_id was not given under this access token.')
      }
      const { session } = token
      // If the credential was revoked meanwhile, the session does not change.
      if (session === null || token.credentialGood !== true) return
      const { event } = notification
      const next =
        event === 'credential_accepted'
          ? moved(session, 'Accepted')
          : moved(session, 'Error', failureText(notification))
      if (!canMove(session.state, next.state)) return
      if (!(await offerSessions.move(next, clock()))) return
      if (event === 'credential_accepted') metrics.offerSession('accepted')
      else metrics.offerSession('failed', FAILED_CHECKS[event])
    },
  }
}
