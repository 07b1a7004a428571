import { createHash } from 'node:crypto'

/** Time for a wallet to get nonce and credential, and to notify; a bearer token must not live longer (§13.10). */
export const ACCESS_TOKEN_SECONDS = 300

const TOKEN_BYTES = 32

export const newAccessToken = (random: (length: number) => Uint8Array): string =>
  Buffer.from(random(TOKEN_BYTES)).toString('base64url')

/** Under which a token, or any other value that is never shown again, is stored. */
export const sha256 = (value: string): string => createHash('sha256').update(value).digest('base64url')
