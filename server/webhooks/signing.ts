import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** How deliveries are signed: HMAC-SHA256 (`v1`) or Ed25519 (`v1a`). */
export type Scheme = 'v1' | 'v1a'

/** A secret in its Standard Webhooks form: `whsec_` (symmetric) or `whsk_` (private key), and standard base64. */
type SecretText = string

/** The secrets of a webhook, as the vault keeps them. */
export interface SigningSecrets {
  readonly current: SecretText
  /** The secret before, which also signs until a time. */
  readonly former?: { readonly secret: SecretText; readonly until: string }
}

/** Hours for which the former secret also signs after a replacement. */
export const FORMER_SIGNS_HOURS = 24

/** Octets of a symmetric secret. Standard Webhooks recommends 24 to 64. */
const SECRET_OCTETS = 32

/** The beginning of a PKCS #8 private key of Ed25519 (RFC 8410 §7), before the 32 octets of the key. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const PRIVATE = 'whsk_'

/** A new secret, and the text that its owner needs to verify: the secret itself, or the public key. */
export interface NewSecret {
  readonly secret: SecretText
  readonly publicKey: string | null
  readonly shown: string
}

/** Makes a secret (Standard Webhooks 1.0.0, "Signature scheme"). */
export function newSecret(scheme: Scheme): NewSecret {
  if (scheme === 'v1') {
    const secret = `whsec_${randomBytes(SECRET_OCTETS).toString('base64')}`
    return { secret, publicKey: null, shown: secret }
  }
  const pair = generateKeyPairSync('ed25519')
  const octets = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PKCS8_ED25519.length)
  const { x = '' } = pair.publicKey.export({ format: 'jwk' })
  const publicKey = `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
  return { secret: `${PRIVATE}${octets.toString('base64')}`, publicKey, shown: publicKey }
}

const privateKeyOf = (secret: SecretText): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, Buffer.from(secret.slice(PRIVATE.length), 'base64')]),
    format: 'der',
    type: 'pkcs8',
  })

/** A signature of one secret (Standard Webhooks 1.0.0, "Signature scheme"). */
function signatureOf(secret: SecretText, id: string, now: Date, body: string): string {
  if (!secret.startsWith(PRIVATE)) return new Webhook(secret).sign(id, now, body)
  const signed = Buffer.from(`${id}.${Math.floor(now.getTime() / 1000)}.${body}`)
  return `v1a,${sign(null, signed, privateKeyOf(secret)).toString('base64')}`
}

/**
 * The headers of a try. A repeated message keeps its id and gets the time of the try, so a receiver can refuse old messages. After a
 * replacement of the secret there are two signatures.
 *
 * @param body the exact body of the request
 */
export function signedHeaders(
  { current, former }: SigningSecrets,
  { id, body, now }: { readonly id: string; readonly body: string; readonly now: Date },
): Record<string, string> {
  const secrets = [current, ...(former !== undefined && new Date(former.until) > now ? [former.secret] : [])]
  return {
    'content-type': 'application/json',
    'user-agent': 'credence-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, id, now, body)).join(' '),
  }
}
