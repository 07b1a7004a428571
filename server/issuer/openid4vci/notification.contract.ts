import { route, SMALL_BODY_BYTES } from '../../api/contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'
import { zNotificationRequest } from '../../protocol/openid4vci/requests.js'

/** Notification Request (OpenID4VCI 1.0 §11.1). */
export const notification = {
  meta: route('POST', '/openid4vci/notification', {
    tag: 'OpenID4VCI',
    summary: 'Report whether the wallet kept a credential',
    description: 'Notification Request (OpenID4VCI 1.0 §11). A repeated notification is answered with 204 too.',
    access: 'wallet',
    forWallets: true,
    status: 204,
    maxBodyBytes: SMALL_BODY_BYTES,
    kind: 'protocol',
    invalid: 'invalid_notification_request',
    errors: [400, 413, 415],
  }),
  input: zNotificationRequest,
  output: zProtocolReply,
}
