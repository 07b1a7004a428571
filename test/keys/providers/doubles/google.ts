import { generateKeyPairSync, randomBytes, verify } from 'node:crypto'
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
  readonly expiresAt: number
  revoked: boolean
}

const ALGORITHMS = {
  'P-256': { algorithm: 'EC_SIGN_P256_SHA256', digest: 'sha256', octets: 32 },
  'P-384': { algorithm: 'EC_SIGN_P384_SHA384', digest: 'sha384', octets: 48 },
  'P-521': { algorithm: 'EC_SIGN_P521_SHA512', digest: 'sha512', octets: 64 },
  secp256k1: { algorithm: 'EC_SIGN_SECP256K1_SHA256', digest: 'sha256', octets: 32 },
  Ed25519: { algorithm: 'EC_SIGN_ED25519', digest: 'none', octets: 0 },
} as const

export const KEY_RING = 'projects/credence-test/locations/europe-west1/keyRings/issuers'

export interface GoogleDouble extends DoubleServer {
  readonly issued: Map<string, Issued>
  /** The file of a service account. */
  serviceAccount(): string
  /** The file of a workload identity federation whose subject token is in a file. */
  federation(tokenFile: string): string
  readonly subjectToken: string
  /** The next readings of a version say that its key is still being generated. */
  delayGeneration(times: number): void
}

const refuse = (status: number, text: string): Reply => ({
  status,
  body: { error: { code: status, message: 'A text of Cloud KMS.', status: text } },
})

/** CRC-32C, bit by bit (RFC 3720 §B.4 has its test vectors). */
function checksum(octets: Uint8Array): string {
  let crc = 0xffffffff
  for (const octet of octets) {
    crc ^= octet
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return String((crc ^ 0xffffffff) >>> 0)
}

/** A double of Cloud KMS (API v1), of Google's token services and of the metadata server. */
export async function startGoogle(clock: () => Date, lifeSeconds = 3600): Promise<GoogleDouble> {
  const issued = new Map<string, Issued>()
  const subjectToken = randomBytes(20).toString('hex')
  const account = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const state = { pending: 0 }

  const issue = () => {
    const value = `ya29.${randomBytes(30).toString('base64url')}`
    issued.set(value, { expiresAt: clock().getTime() + lifeSeconds * 1000, revoked: false })
    return value
  }
  const token = (headers: Record<string, string> = {}): Reply => ({
    status: 200,
    headers,
    body: { access_token: issue(), expires_in: lifeSeconds, token_type: 'Bearer' },
  })

  const double = await startDouble(({ chest, origin }) => {
    const versionName = (key: StoredKey) => `${KEY_RING}/cryptoKeys/${key.name}/cryptoKeyVersions/1`

    const isAssertion = (assertion: string) => {
      const [header = '', payload = '', signature = ''] = assertion.split('.')
      const { iss, aud, scope, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<
        string,
        unknown
      >
      const now = clock().getTime() / 1000
      return (
        JSON.parse(Buffer.from(header, 'base64url').toString()).alg === 'RS256' &&
        verify('sha256', Buffer.from(`${header}.${payload}`), account.publicKey, Buffer.from(signature, 'base64url')) &&
        iss === 'issuer@credence-test.iam.gserviceaccount.com' &&
        aud === `${origin()}/token` &&
        scope === 'https://www.googleapis.com/auth/cloudkms' &&
        Math.abs(Number(iat) - now) < 60 &&
        Number(exp) > now &&
        Number(exp) - Number(iat) <= 3600
      )
    }

    const credentials = (got: Got): Reply | undefined => {
      const form = new URLSearchParams(got.body)
      if (got.path === '/token') {
        const isRight =
          form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
          isAssertion(form.get('assertion') ?? '')
        return isRight ? token() : { status: 400, body: { error: 'invalid_grant' } }
      }
      if (got.path === '/sts/v1/token') {
        const isRight =
          form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:token-exchange' &&
          form.get('subject_token') === subjectToken &&
          form.get('subject_token_type') === 'urn:ietf:params:oauth:token-type:jwt' &&
          form.get('requested_token_type') === 'urn:ietf:params:oauth:token-type:access_token' &&
          form.get('audience') === '//iam.googleapis.com/pool'
        return isRight ? token() : { status: 400, body: { error: 'invalid_grant' } }
      }
      if (got.path.endsWith(':generateAccessToken')) {
        if (!issued.has((got.headers.authorization ?? '').replace('Bearer ', ''))) return refuse(401, 'UNAUTHENTICATED')
        const expireTime = new Date(clock().getTime() + lifeSeconds * 1000).toISOString()
        return { status: 200, body: { accessToken: issue(), expireTime } }
      }
      if (got.path === '/computeMetadata/v1/instance/service-accounts/default/token')
        return got.headers['metadata-flavor'] === 'Google'
          ? token({ 'metadata-flavor': 'Google' })
          : { status: 403, body: '' }
      return undefined
    }

    const versionOf = (key: StoredKey): Reply => {
      const isPending = state.pending > 0
      if (isPending) state.pending -= 1
      const body = {
        name: versionName(key),
        state: isPending ? 'PENDING_GENERATION' : key.enabled ? 'ENABLED' : 'DISABLED',
        algorithm: key.maySign ? ALGORITHMS[key.curve].algorithm : 'GOOGLE_SYMMETRIC_ENCRYPTION',
        protectionLevel: key.inHardware ? 'HSM' : 'SOFTWARE',
      }
      return { status: 200, body }
    }

    const sign = async (key: StoredKey, input: Record<string, unknown>): Promise<Reply> => {
      if (!key.enabled) return refuse(400, 'FAILED_PRECONDITION')
      const { digest: member, octets } = ALGORITHMS[key.curve]
      const digest = input.digest as Record<string, unknown>
      if (Object.keys(digest).join() !== member) return refuse(400, 'INVALID_ARGUMENT')
      const hash = strictBase64(digest[member])
      if (hash.length !== octets || input.digestCrc32c !== checksum(hash)) return refuse(400, 'INVALID_ARGUMENT')
      const signature = await chest.signHash(key, hash)
      return {
        status: 200,
        body: {
          signature: signature.toString('base64'),
          signatureCrc32c: checksum(signature),
          verifiedDigestCrc32c: true,
          name: versionName(key),
          protectionLevel: key.inHardware ? 'HSM' : 'SOFTWARE',
        },
      }
    }

    const wrappingAnswer = (key: StoredWrappingKey, path: string, operation: string | undefined, got: Got): Reply => {
      const name = path.replace(/:.*$/, '')
      if (operation === undefined) {
        const primary = {
          name: `${name}/cryptoKeyVersions/1`,
          state: key.enabled ? 'ENABLED' : 'DISABLED',
          protectionLevel: key.inHardware ? 'HSM' : 'SOFTWARE',
        }
        const purpose = key.mayWrap ? (key.isRsa ? 'ASYMMETRIC_DECRYPT' : 'ENCRYPT_DECRYPT') : 'MAC'
        return { status: 200, body: { name, purpose, ...(purpose === 'ENCRYPT_DECRYPT' ? { primary } : {}) } }
      }
      if (!key.enabled) return refuse(400, 'FAILED_PRECONDITION')
      const input = jsonOf(got)
      const data = strictBase64(input.additionalAuthenticatedData)
      if (input.additionalAuthenticatedDataCrc32c !== checksum(data)) return refuse(400, 'INVALID_ARGUMENT')
      if (operation === ':encrypt') {
        const plaintext = strictBase64(input.plaintext)
        if (input.plaintextCrc32c !== checksum(plaintext)) return refuse(400, 'INVALID_ARGUMENT')
        const sealed = gcmSealed(key.secret, plaintext, data.toString())
        const body = {
          name: `${name}/cryptoKeyVersions/1`,
          ciphertext: sealed.toString('base64'),
          ciphertextCrc32c: checksum(sealed),
          verifiedPlaintextCrc32c: true,
          verifiedAdditionalAuthenticatedDataCrc32c: true,
        }
        return { status: 200, body }
      }
      const sealed = strictBase64(input.ciphertext)
      const opened =
        input.ciphertextCrc32c === checksum(sealed) ? gcmOpened(key.secret, sealed, data.toString()) : undefined
      if (opened === undefined) return refuse(400, 'INVALID_ARGUMENT')
      return { status: 200, body: { plaintext: opened.toString('base64'), plaintextCrc32c: checksum(opened) } }
    }

    return {
      isCredentials: (got) => !got.path.startsWith('/v1/projects/credence-test'),
      async answer(got) {
        const given = credentials(got)
        if (given !== undefined) return given
        const bearer = issued.get((got.headers.authorization ?? '').replace(/^Bearer /, ''))
        if (bearer === undefined || bearer.revoked || bearer.expiresAt <= clock().getTime())
          return refuse(401, 'UNAUTHENTICATED')
        const path = got.path.slice('/v1/'.length)
        if (got.method === 'GET' && path === KEY_RING) return { status: 200, body: { name: KEY_RING } }
        if (got.method === 'POST' && path === `${KEY_RING}/cryptoKeys`) {
          const { purpose, versionTemplate } = jsonOf(got) as {
            purpose: unknown
            versionTemplate: Record<string, unknown>
          }
          const curve = Object.entries(ALGORITHMS).find(
            ([, known]) => known.algorithm === versionTemplate.algorithm,
          )?.[0]
          const id = got.query.get('cryptoKeyId') ?? ''
          if (purpose !== 'ASYMMETRIC_SIGN' || curve === undefined || !/^[\w-]{1,63}$/.test(id))
            return refuse(400, 'INVALID_ARGUMENT')
          if (chest.keys.has(id)) return refuse(409, 'ALREADY_EXISTS')
          const inHardware = versionTemplate.protectionLevel === 'HSM'
          chest.add(id, { curve: curve as keyof typeof ALGORITHMS, inHardware })
          return { status: 200, body: { name: `${KEY_RING}/cryptoKeys/${id}`, purpose } }
        }
        const [, wrappingName = '', operation] = /\/cryptoKeys\/([\w-]+)(:encrypt|:decrypt)?$/.exec(path) ?? []
        const wraps = chest.wrapping.get(wrappingName)
        if (wraps !== undefined) return wrappingAnswer(wraps, path, operation, got)
        const [, name = '', rest] =
          /\/cryptoKeys\/([\w-]+)\/cryptoKeyVersions\/1(\/publicKey|:asymmetricSign)?$/.exec(path) ?? []
        const key = chest.keys.get(name)
        if (key === undefined) return refuse(404, 'NOT_FOUND')
        if (got.method === 'POST' && rest === ':asymmetricSign') return sign(key, jsonOf(got))
        if (got.method !== 'GET') return refuse(404, 'NOT_FOUND')
        if (rest === undefined) return versionOf(key)
        const pem = key.publicKey.export({ format: 'pem', type: 'spki' }).toString()
        const body = {
          pem,
          pemCrc32c: checksum(Buffer.from(pem)),
          name: versionName(key),
          algorithm: ALGORITHMS[key.curve].algorithm,
        }
        return { status: 200, body }
      },
    }
  })

  return Object.assign(double, {
    issued,
    subjectToken,
    serviceAccount: () =>
      JSON.stringify({
        type: 'service_account',
        client_email: 'issuer@credence-test.iam.gserviceaccount.com',
        private_key: account.privateKey.export({ format: 'pem', type: 'pkcs8' }),
        private_key_id: 'one',
        token_uri: `${double.origin}/token`,
      }),
    federation: (tokenFile: string) =>
      JSON.stringify({
        type: 'external_account',
        audience: '//iam.googleapis.com/pool',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `${double.origin}/sts/v1/token`,
        service_account_impersonation_url: `${double.origin}/v1/projects/-/serviceAccounts/issuer:generateAccessToken`,
        credential_source: { file: tokenFile, format: { type: 'json', subject_token_field_name: 'id_token' } },
      }),
    /** The next readings of a version say that its key is still being generated. */
    delayGeneration(times: number) {
      state.pending = times
    },
  })
}
