/** Enough time for a wallet to get a nonce and a credential, and to notify. A bearer token must not live longer (§13.10). */
const BEARER_SECONDS = 300
/** A token that is bound to a key may live longer: a thief cannot use it without the key (RFC 9449 §1). */
const BOUND_SECONDS = 3_600

/** The lifetime of an access token in seconds. It depends on whether the token is bound to a key. */
export const accessTokenSeconds = (bound: boolean): number => (bound ? BOUND_SECONDS : BEARER_SECONDS)

const TOKEN_BYTES = 32

export const newAccessToken = (random: (length: number) => Uint8Array): string =>
  Buffer.from(random(TOKEN_BYTES)).toString('base64url')
