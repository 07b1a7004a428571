/** What the interface has for contents that are neither an offer nor a request. */
export const UNKNOWN = 'Unknown URI protocol. Expected openid-credential-offer:// or openid4vp://'

const offer = (value: string) => `openid-credential-offer://?credential_offer=${encodeURIComponent(value)}`

const request = (params: Readonly<Record<string, string>>) =>
  `openid4vp://?${new URLSearchParams({ client_id: 'redirect_uri:https://verifier.example/cb', ...params })}`

const SERVED = encodeURIComponent('https://issuer.example/offer')

/** Contents that look like an offer or a request, and are none. */
export const NEITHER: [string][] = [
  ['mailto:somebody@example.org'],
  ['openid4vp://?x=y'],
  ['openid4vp://'],
  ['openid4vp://?client_id=x'],
  ['openid4vp://?response_type=vp_token&nonce=n'],
  [`openid4vp://?request_uri=${SERVED}`],
  [request({ request_uri: 'not an address' })],
  [request({ request_uri: 'file:///etc/passwd' })],
  [request({ request: 'not a JWT' })],
  [request({ request: 'bm8.anNvbg.eA' })],
  [request({ response_type: 'vp_token', nonce: 'n', dcql_query: 'not JSON' })],
  [request({ response_type: 'id_token' })],
  ['openid-credential-offer://?x=y'],
  ['openid-credential-offer://'],
  ['openid-credential-offer://?credential_offer_uri=notanaddress'],
  ['openid-credential-offer://?credential_offer=notjson'],
  [offer('{}')],
  [offer('[]')],
  [offer('null')],
  [offer('"text"')],
  [offer('{"credential_issuer": "https://issuer.example"}')],
  [offer('{"credential_issuer": 7, "credential_configuration_ids": ["a"]}')],
  ['https://wallet.example/?credential_offer=notjson'],
  ['https://wallet.example/?client_id=x&request=notajwt'],
]
