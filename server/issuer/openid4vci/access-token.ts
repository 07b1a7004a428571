/**
 * Enough time for a wallet to get a nonce and a credential, and to notify. A bearer token must not be valid for longer
 * (§13.10).
 */
const BEARER_SECONDS = 300
/**
 * A token that is bound to a key may be valid for longer: a thief cannot use the token without the key (RFC 9449 §1).
 */
const BOUND_SECONDS = 3_600

/** The lifetime of an access token in seconds. A token that is bound to a key has a longer lifetime. */
export const accessTokenSeconds = (bound: boolean): number => (bound ? BOUND_SECONDS : BEARER_SECONDS)

const TOKEN_BYTES = 32

export const newAccessToken = (random: (length: number) => Uint8Array): string =>
  Buffer.from(random(TOKEN_BYTES)).toString('base64url')
