import type { z } from 'zod'
import type { Deps } from '../../deps.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { zNotificationRequest } from '../../protocol/openid4vci/requests.js'
import { canMove, moved } from './sessions/session.js'
import type { TokenContext } from './tokens/store.js'

type Notification = z.infer<typeof zNotificationRequest>

const MAX_DESCRIPTION = 300

const FAILED_CHECKS = { credential_failure: 'credential-failure', credential_deleted: 'credential-deleted' } as const

/** §11.1: the characters that a description may have; others are replaced before it is stored. */
const printable = (text: string) => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'").slice(0, MAX_DESCRIPTION)

/** The session's error message for a credential that the wallet did not keep. */
function failureText({ event, event_description: description }: Notification): string {
  const what =
    event === 'credential_deleted' ? 'The wallet deleted the credential' : 'The wallet could not take the credential'
  return description === undefined ? `${what}.` : `${what}: ${printable(description)}`
}

/**
 * Records whether the wallet kept a credential (OpenID4VCI 1.0 §11). Idempotent: a repeat changes nothing.
 *
 * @throws OAuthError `invalid_notification_id` for an id that was not given under this access token.
 */
export async function takeNotification(deps: Deps, token: TokenContext, notification: Notification): Promise<void> {
  const named = deps.seals.openNotificationId(notification.notification_id)
  if (named === undefined || named.offeringId !== token.offeringId || named.credentialId !== token.credentialId) {
    throw new OAuthError('invalid_notification_id', 'The notification_id was not given under this access token.')
  }
  const { session } = token
  // A credential that has been revoked meanwhile stays as it is.
  if (session === null || token.credentialGood !== true) return
  const { event } = notification
  const next =
    event === 'credential_accepted' ? moved(session, 'Accepted') : moved(session, 'Error', failureText(notification))
  if (!canMove(session.state, next.state)) return
  if (!(await deps.stores.offerSessions.move(next, deps.clock()))) return
  if (event === 'credential_accepted') deps.metrics.offerSession('accepted')
  else deps.metrics.offerSession('failed', FAILED_CHECKS[event])
}
