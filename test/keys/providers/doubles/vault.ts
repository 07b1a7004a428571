import { createHash, randomBytes, sign as signMessage } from 'node:crypto'
import { derToJose } from './der-to-jose.js'
import {
  type DoubleServer,
  type Got,
  gcmOpened,
  gcmSealed,
  jsonOf,
  type Reply,
  type StoredKey,
  type StoredWrappingKey,
  startDouble,
  strictBase64,
} from './double.js'

interface Issued {
  expiresAt: number
  revoked: boolean
  /** The moment after which a renewal is refused (`token_max_ttl`). */
  readonly last: number
}

const TYPES = {
  'P-256': { type: 'ecdsa-p256', name: 'P-256', hash: 'sha2-256', octets: 32 },
  'P-384': { type: 'ecdsa-p384', name: 'P-384', hash: 'sha2-384', octets: 48 },
  'P-521': { type: 'ecdsa-p521', name: 'P-521', hash: 'sha2-512', octets: 66 },
  secp256k1: { type: 'unknown', name: 'unknown', hash: 'unknown', octets: 32 },
  Ed25519: { type: 'ed25519', name: 'ed25519', hash: 'none', octets: 32 },
} as const

export interface VaultDouble extends DoubleServer {
  readonly issued: Map<string, Issued>
  /** A token that an operator made. `undefined`: a token without an end. */
  issue(seconds: number | undefined): string
  readonly roleId: string
  readonly secretId: string
  readonly serviceAccountToken: string
  /** The number of logins that a secret ID still allows. */
  readonly uses: { left: number }
}

const refuse = (status: number, ...errors: readonly string[]): Reply => ({ status, body: { errors } })

/** A double of the transit engine and of the token, AppRole and Kubernetes methods, in the namespace `issuers`. */
export async function startVault(clock: () => Date, lifeSeconds = 3600): Promise<VaultDouble> {
  const issued = new Map<string, Issued>()
  const [roleId, secretId, serviceAccountToken] = [0, 1, 2].map(() => randomBytes(16).toString('hex')) as [
    string,
    string,
    string,
  ]
  const uses = { left: Number.POSITIVE_INFINITY }
  const now = () => clock().getTime()

  const issue = (seconds: number | undefined): string => {
    const value = `hvs.${randomBytes(18).toString('base64url')}`
    const life = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000
    issued.set(value, { expiresAt: now() + life, revoked: false, last: now() + 4 * life })
    return value
  }
  const auth = (token: string, seconds: number): Reply => ({
    status: 200,
    body: { auth: { client_token: token, lease_duration: seconds, renewable: true, policies: ['issuer'] } },
  })

  const double = await startDouble(({ chest }) => {
    const dataOf = (key: StoredKey): Reply => {
      const { type, name } = TYPES[key.curve]
      const publicKey =
        key.curve === 'Ed25519'
          ? Buffer.from(String(key.publicKey.export({ format: 'jwk' }).x), 'base64url').toString('base64')
          : key.publicKey.export({ format: 'pem', type: 'spki' }).toString()
      const data = {
        name: key.name,
        type: key.maySign ? type : 'aes256-gcm96',
        supports_signing: key.maySign,
        exportable: key.exportable,
        allow_plaintext_backup: false,
        derived: false,
        latest_version: 1,
        // A version that must not be used any more is below the oldest version for new signatures.
        min_encryption_version: key.enabled ? 0 : 2,
        min_decryption_version: 1,
        keys: { 1: { name, public_key: publicKey, creation_time: clock().toISOString() } },
      }
      return { status: 200, body: { data } }
    }

    const login = (got: Got): Reply | undefined => {
      if (got.path === '/v1/auth/approle/login') {
        const { role_id: role, secret_id: secret } = jsonOf(got)
        if (role !== roleId || secret !== secretId || uses.left <= 0) return refuse(400, 'invalid role or secret ID')
        uses.left -= 1
        return auth(issue(lifeSeconds), lifeSeconds)
      }
      if (got.path !== '/v1/auth/clusters/eu/login') return undefined
      const { role, jwt } = jsonOf(got)
      return role === 'issuer' && jwt === serviceAccountToken
        ? auth(issue(lifeSeconds), lifeSeconds)
        : refuse(403, 'permission denied')
    }

    const sign = async (key: StoredKey, input: Record<string, unknown>): Promise<Reply> => {
      const { hash, octets } = TYPES[key.curve]
      if (!key.enabled) return refuse(400, 'cannot sign with key version')
      if (!key.maySign) return refuse(400, 'key type does not support signing')
      if (input.key_version !== 1) return refuse(400, 'invalid key version')
      const message = strictBase64(input.input)
      if (key.curve === 'Ed25519') {
        const signature = signMessage(null, message, key.privateKey).toString('base64')
        return { status: 200, body: { data: { signature: `vault:v1:${signature}`, key_version: 1 } } }
      }
      const length = createHash(hash.replace('sha2-', 'sha')).update('').digest().length
      const isRight =
        input.prehashed === true &&
        input.hash_algorithm === hash &&
        input.marshaling_algorithm === 'jws' &&
        message.length === length
      if (!isRight) return refuse(400, 'invalid request')
      const signature = derToJose(await chest.signHash(key, message), octets).toString('base64url')
      return { status: 200, body: { data: { signature: `vault:v1:${signature}`, key_version: 1 } } }
    }

    const wrappingAnswer = (key: StoredWrappingKey, operation: string | undefined, got: Got): Reply => {
      if (operation === 'keys' && got.method === 'GET') {
        const data = {
          name: key.name,
          type: key.mayWrap ? (key.isRsa ? 'rsa-2048' : 'aes256-gcm96') : 'hmac',
          supports_encryption: key.mayWrap,
          exportable: key.exportable,
          allow_plaintext_backup: false,
          derived: false,
          latest_version: 1,
        }
        return { status: 200, body: { data } }
      }
      if (got.method !== 'POST' || !key.mayWrap || !key.enabled) return refuse(400, 'unsupported operation')
      const input = jsonOf(got)
      const data = strictBase64(input.associated_data).toString()
      if (operation === 'encrypt') {
        const sealed = gcmSealed(key.secret, strictBase64(input.plaintext), data).toString('base64')
        return { status: 200, body: { data: { ciphertext: `vault:v1:${sealed}`, key_version: 1 } } }
      }
      const [, text] = /^vault:v1:(.+)$/.exec(String(input.ciphertext)) ?? []
      const opened = text === undefined ? undefined : gcmOpened(key.secret, strictBase64(text), data)
      if (operation !== 'decrypt' || opened === undefined) return refuse(400, 'cipher: message authentication failed')
      return { status: 200, body: { data: { plaintext: opened.toString('base64') } } }
    }

    return {
      isCredentials: (got) => got.path.startsWith('/v1/auth/'),
      async answer(got) {
        if (got.headers['x-vault-namespace'] !== 'issuers') return refuse(404, 'no handler for route')
        if (got.headers['x-vault-request'] !== 'true') return refuse(412, 'missing header')
        const given = login(got)
        if (given !== undefined) return given
        const token = String(got.headers['x-vault-token'])
        const bearer = issued.get(token)
        if (bearer === undefined || bearer.revoked || bearer.expiresAt <= now())
          return refuse(403, 'permission denied', 'invalid token')
        if (got.path === '/v1/auth/token/lookup-self') {
          const ttl = bearer.expiresAt === Number.POSITIVE_INFINITY ? 0 : Math.floor((bearer.expiresAt - now()) / 1000)
          return { status: 200, body: { data: { ttl, renewable: ttl > 0, id: token } } }
        }
        if (got.path === '/v1/auth/token/renew-self' && got.method === 'POST') {
          const end = Math.min(now() + lifeSeconds * 1000, bearer.last)
          if (end <= now()) return refuse(400, 'lease is not renewable')
          bearer.expiresAt = end
          return auth(token, Math.floor((end - now()) / 1000))
        }
        const [, operation, name = ''] = /^\/v1\/signing\/(keys|sign|encrypt|decrypt)\/([\w.-]+)$/.exec(got.path) ?? []
        const wraps = chest.wrapping.get(name)
        if (wraps !== undefined) return wrappingAnswer(wraps, operation, got)
        if (operation === 'keys' && got.method === 'POST') {
          const { type, exportable, allow_plaintext_backup: backup } = jsonOf(got)
          const curve = Object.entries(TYPES).find(([, known]) => known.type === type)?.[0] as
            | keyof typeof TYPES
            | undefined
          if (curve === undefined || exportable !== false || backup !== false) return refuse(400, 'invalid request')
          return dataOf(chest.keys.get(name) ?? chest.add(name, { curve }))
        }
        const key = chest.keys.get(name)
        if (key === undefined) return refuse(404)
        if (operation === 'keys' && got.method === 'GET') return dataOf(key)
        return operation === 'sign' && got.method === 'POST'
          ? sign(key, jsonOf(got))
          : refuse(405, 'unsupported operation')
      },
    }
  })
  return Object.assign(double, { issued, issue, roleId, secretId, serviceAccountToken, uses })
}
