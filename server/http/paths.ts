const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const HOSTED_DID = new RegExp(`^/${UUID}/(\\.well-known/)?did\\.json$`, 'i')
const PUBLIC = /^\/(\.well-known|openid4vci|openid4vp|vct|status-lists|token-status-lists|api\/v1\/schemas)\//

/** `/{uuid}/did.json` and `/{uuid}/.well-known/did.json`. */
export const isHostedDidPath = (path: string): boolean => HOSTED_DID.test(path)

/** Pages for people, without CORS: scripts of other pages must not read them. */
const PAGE = /^\/openid4vci\/authorize(\/|$)/

/** Protocol and metadata routes that any wallet, also one in a browser, may call. */
export const isPublicPath = (path: string): boolean => (PUBLIC.test(path) && !PAGE.test(path)) || isHostedDidPath(path)
