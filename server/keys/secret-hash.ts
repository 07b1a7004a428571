import { createHash } from 'node:crypto'

/** The hash under which a token, or another secret that is never shown again, is stored: SHA-256, base64url. */
export const sha256 = (value: string): string => createHash('sha256').update(value).digest('base64url')
