/** Time for a wallet to get nonce and credential, and to notify; a bearer token must not live longer (§13.10). */
const BEARER_SECONDS = 300
/** Longer, since a stolen token that is bound to a key cannot be used without the key (RFC 9449 §1). */
const BOUND_SECONDS = 3_600

/** How long an access token is good for, by whether it is bound to a key. */
export const accessTokenSeconds = (bound: boolean): number => (bound ? BOUND_SECONDS : BEARER_SECONDS)

const TOKEN_BYTES = 32

export const newAccessToken = (random: (length: number) => Uint8Array): string =>
  Buffer.from(random(TOKEN_BYTES)).toString('base64url')
