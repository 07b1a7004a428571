import { isObject, type JsonObject } from '../../../protocol/json/json-object.js'
import { PRE_AUTHORIZED_CODE_GRANT } from '../../../protocol/openid4vci/requests.js'
import { draft13 } from './draft13.js'
import type { Profile } from './profile.js'

/** §6.1: the highest number of digits in a PIN. */
const PIN_LENGTH = 8

function formerGrants(grants: JsonObject): JsonObject {
  const grant = grants[PRE_AUTHORIZED_CODE_GRANT]
  if (!isObject(grant)) return grants
  const { tx_code: txCode, ...rest } = grant
  return { ...grants, [PRE_AUTHORIZED_CODE_GRANT]: { ...rest, user_pin_required: txCode !== undefined } }
}

/** OpenID4VCI draft 11 (April 2023): its differences from draft 13. */
export const draft11: Profile = {
  ...draft13,
  txCodeFault: ({ input_mode: mode, length }) =>
    mode === 'numeric' && length <= PIN_LENGTH ? undefined : `must be numeric and no longer than ${PIN_LENGTH} digits`,
  // §4.1.1
  offer: ({ credential_configuration_ids: ids, grants, ...rest }) => ({
    ...rest,
    credentials: ids,
    ...(isObject(grants) ? { grants: formerGrants(grants) } : {}),
  }),
  txCodeName: 'user_pin',
  // §6.1
  parameters: ({ user_pin: pin, ...sent }, types) => draft13.parameters({ tx_code: pin, ...sent }, types),
  // §7.3
  credentialResponse: (response, sent, nonce) => ({
    ...draft13.credentialResponse(response, sent, nonce),
    ...(typeof sent.format === 'string' ? { format: sent.format } : {}),
  }), // §7.3.1: this code is the only error that gives the wallet a nonce for its next proof.
  refusal: (refusal, nonce) => {
    const former = draft13.refusal(refusal, nonce)
    return former.error === 'invalid_proof' ? former.as('invalid_or_missing_proof') : former
  },
}
