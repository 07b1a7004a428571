/** The interface's message for contents that are neither an offer nor a request. */
export const UNKNOWN = 'Unknown URI protocol. Expected openid-credential-offer:// or openid4vp://'

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

const offer = (value: string) => `openid-credential-offer://?credential_offer=${encodeURIComponent(value)}`

const request = (params: Readonly<Record<string, string>>) =>
  `openid4vp://?${new URLSearchParams({ client_id: 'redirect_uri:https://verifier.example/cb', ...params })}`

const SERVED = encodeURIComponent('https://issuer.example/offer')

/** Contents that are neither an offer nor a request. */
export const NEITHER: [string][] = [['mailto:somebody@example.org'], ['openid://?client_id=x'], ['haip://x']]

const NO_PARAMETERS =
  'The authorization request has none of request_uri, request, dcql_query, response_type, presentation_definition.'
const NO_CLIENT = 'The authorization request has no client_id.'
const NO_OFFER = 'The offer has neither credential_offer nor credential_offer_uri.'
const NO_OBJECT = 'credential_offer must be a JSON object'

/** Addresses that break a rule, and the text of the rule. */
export const BROKEN: [string, string][] = [
  ['openid4vp://?x=y', NO_CLIENT],
  ['openid4vp://', NO_CLIENT],
  ['haip-vp://?response_type=vp_token', NO_CLIENT],
  ['openid4vp://?client_id=x', NO_PARAMETERS],
  ['openid4vp://?response_type=vp_token&nonce=n', NO_CLIENT],
  [`openid4vp://?request_uri=${SERVED}`, NO_CLIENT],
  [
    request({ request: 'a.b.c', request_uri: 'https://verifier.example/r' }),
    'The authorization request has both request and request_uri.',
  ],
  [request({ request_uri: 'not an address' }), 'request_uri must be an https address'],
  [request({ request_uri: 'file:///etc/passwd' }), 'request_uri must be an https address'],
  [request({ request: 'not a JWT' }), 'request must be a signed JWT'],
  [request({ request: 'bm8.anNvbg.eA' }), 'request must be a signed JWT'],
  [request({ response_type: 'vp_token', nonce: 'n', dcql_query: 'not JSON' }), 'dcql_query must be JSON'],
  [request({ response_type: 'vp_token', nonce: 'n', client_metadata: '{' }), 'client_metadata must be JSON'],
  [request({ response_type: 'id_token' }), 'response_type must have vp_token'],
  ['openid-credential-offer://?x=y', NO_OFFER],
  ['openid-credential-offer://', NO_OFFER],
  ['haip-vci://', NO_OFFER],
  ['openid-credential-offer://?credential_offer_uri=notanaddress', 'credential_offer_uri must be an https address'],
  ['openid-credential-offer://?credential_offer=notjson', NO_OBJECT],
  [offer('[]'), NO_OBJECT],
  [offer('null'), NO_OBJECT],
  [offer('"text"'), NO_OBJECT],
  // Copied content may have white space around it.
  [' \n openid-credential-offer://?credential_offer=notjson \t', NO_OBJECT],
  ['https://wallet.example/?credential_offer=notjson', NO_OBJECT],
  ['https://wallet.example/?client_id=x&request=notajwt', 'request must be a signed JWT'],
]

/** Members of an offer that break a rule of OpenID4VCI 1.0 §4.1.1, and the text of the rule. */
export const BROKEN_OFFERS: [Readonly<Record<string, unknown>>, string][] = [
  [{ credential_issuer: undefined }, 'credential_issuer must be present'],
  [{ credential_issuer: 7 }, 'credential_issuer must be a string'],
  [{ credential_issuer: 'issuer' }, 'credential_issuer must be an https address without query and fragment'],
  [{ credential_issuer: 'ftp://a.example' }, 'credential_issuer must be an https address without query and fragment'],
  [
    { credential_issuer: 'https://a.example?b=c' },
    'credential_issuer must be an https address without query and fragment',
  ],
  [{ credential_configuration_ids: undefined }, 'credential_configuration_ids must be present'],
  [{ credential_configuration_ids: [] }, 'credential_configuration_ids must not be empty'],
  [{ credential_configuration_ids: 'A' }, 'credential_configuration_ids must be an array'],
  [{ credential_configuration_ids: ['A', 'A'] }, 'credential_configuration_ids must not name a configuration twice'],
  [{ credential_configuration_ids: ['A', 7] }, 'credential_configuration_ids.1 must be a string'],
  [{ grants: [] }, 'grants must be an object'],
  [{ grants: 'all' }, 'grants must be an object'],
  [{ grants: { authorization_code: 'yes' } }, 'grants.authorization_code must be an object'],
  [{ grants: { authorization_code: { issuer_state: 7 } } }, 'grants.authorization_code.issuer_state must be a string'],
  [{ grants: { [PRE_AUTHORIZED]: {} } }, `grants.${PRE_AUTHORIZED}.pre-authorized_code must be present`],
  ...(
    [
      [{ input_mode: 'letters' }, 'input_mode must be numeric or text'],
      [{ length: 'four' }, 'length must be an integer'],
      [{ length: 4.5 }, 'length must be an integer'],
      [{ length: 0 }, 'length must be at least 1'],
      [{ description: 'x'.repeat(301) }, 'description must not exceed 300 characters'],
    ] as const
  ).map(([code, rule]): [Readonly<Record<string, unknown>>, string] => [
    { grants: { [PRE_AUTHORIZED]: { 'pre-authorized_code': 'c', tx_code: code } } },
    `grants.${PRE_AUTHORIZED}.tx_code.${rule}`,
  ]),
  [
    { grants: { [PRE_AUTHORIZED]: { 'pre-authorized_code': 'c', tx_code: 'yes' } } },
    `grants.${PRE_AUTHORIZED}.tx_code must be an object`,
  ],
]
