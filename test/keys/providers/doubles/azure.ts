import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { derToJose } from './der-to-jose.js'
import {
  type DoubleServer,
  type Got,
  jsonOf,
  type Reply,
  type StoredKey,
  type StoredWrappingKey,
  startDouble,
} from './double.js'

interface Issued {
  readonly expiresAt: number
  revoked: boolean
}

const CURVES = {
  'P-256': { crv: 'P-256', alg: 'ES256', octets: 32 },
  'P-384': { crv: 'P-384', alg: 'ES384', octets: 48 },
  'P-521': { crv: 'P-521', alg: 'ES512', octets: 66 },
  secp256k1: { crv: 'P-256K', alg: 'ES256K', octets: 32 },
  Ed25519: { crv: 'Ed25519', alg: 'EdDSA', octets: 32 },
} as const

export interface AzureDouble extends DoubleServer {
  readonly issued: Map<string, Issued>
  readonly clientSecret: string
  readonly federatedToken: string
  readonly identityHeader: string
}

const refuse = (status: number, code: string, inner?: string): Reply => ({
  status,
  body: {
    error: { code, message: 'A text of Key Vault.', ...(inner === undefined ? {} : { innererror: { code: inner } }) },
  },
})

const RESOURCE = 'https://vault.azure.net'
const TENANT = '00000000-0000-4000-8000-000000000001'
const CLIENT = '00000000-0000-4000-8000-000000000002'

/** A double of Key Vault (API 7.4), of Entra ID and of the agents that give tokens. */
export async function startAzure(clock: () => Date, lifeSeconds = 3600): Promise<AzureDouble> {
  const issued = new Map<string, Issued>()
  const clientSecret = randomBytes(20).toString('hex')
  const federatedToken = randomBytes(20).toString('hex')
  const identityHeader = randomBytes(20).toString('hex')

  const token = (): Reply => {
    const value = randomBytes(30).toString('base64url')
    issued.set(value, { expiresAt: clock().getTime() + lifeSeconds * 1000, revoked: false })
    // The agents write the number as a text.
    return { status: 200, body: { token_type: 'Bearer', expires_in: String(lifeSeconds), access_token: value } }
  }

  const double = await startDouble(({ chest, origin }) => {
    const versions = new Map<string, string>()
    const versionOf = (name: string) => {
      const known = versions.get(name) ?? createHash('sha256').update(name).digest('hex').slice(0, 32)
      versions.set(name, known)
      return known
    }
    const bundleOf = (key: StoredKey): Reply => {
      const { kty: _, crv: __, ...numbers } = key.publicKey.export({ format: 'jwk' })
      return {
        status: 200,
        body: {
          key: {
            kid: `${origin()}/keys/${key.name}/${versionOf(key.name)}`,
            kty: key.inHardware ? 'EC-HSM' : 'EC',
            crv: CURVES[key.curve].crv,
            key_ops: key.maySign ? ['sign', 'verify'] : ['verify'],
            ...numbers,
          },
          attributes: { enabled: key.enabled, exportable: key.exportable, created: 1, updated: 1 },
          ...(key.exportable ? { release_policy: { data: 'e30', immutable: false } } : {}),
        },
      }
    }

    const wrappingBundleOf = (key: StoredWrappingKey): Reply => {
      const numbers = key.rsa?.publicKey.export({ format: 'jwk' })
      return {
        status: 200,
        body: {
          key: {
            kid: `${origin()}/keys/${key.name}/${versionOf(key.name)}`,
            kty: key.rsa === undefined ? 'oct-HSM' : key.inHardware ? 'RSA-HSM' : 'RSA',
            key_ops: key.mayWrap ? ['wrapKey', 'unwrapKey', 'sign', 'verify'] : ['encrypt', 'decrypt'],
            ...(numbers === undefined ? {} : { n: numbers.n, e: numbers.e }),
          },
          attributes: { enabled: key.enabled, exportable: key.exportable, created: 1, updated: 1 },
        },
      }
    }

    const byWrappingKey = async (key: StoredWrappingKey, operation: string, input: Record<string, unknown>) => {
      if (!key.enabled) return refuse(403, 'Forbidden', 'KeyDisabled')
      if (!key.mayWrap) return refuse(403, 'Forbidden', 'KeyOperationForbidden')
      const value = Buffer.from(String(input.value), 'base64url')
      const answer = (octets: Buffer): Reply => ({
        status: 200,
        body: {
          kid: `${origin()}/keys/${key.name}/${versionOf(key.name)}`,
          value: octets.toString('base64url'),
        },
      })
      if (operation === 'sign') {
        if (key.rsa === undefined || input.alg !== 'PS256' || value.length !== 32) return refuse(400, 'BadParameter')
        return answer(await chest.signHashByRsa(key, value))
      }
      if (operation !== 'wrapkey' && operation !== 'unwrapkey') return refuse(405, 'MethodNotAllowed')
      try {
        if (key.rsa !== undefined) {
          if (input.alg !== 'RSA-OAEP-256') return refuse(400, 'BadParameter')
          const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
          return answer(
            operation === 'wrapkey'
              ? publicEncrypt({ key: key.rsa.publicKey, ...oaep }, value)
              : privateDecrypt({ key: key.rsa.privateKey, ...oaep }, value),
          )
        }
        if (input.alg !== 'A256KW') return refuse(400, 'BadParameter')
        // RFC 3394 §2.2.3.1.
        const start = Buffer.from('a6'.repeat(8), 'hex')
        if (operation === 'wrapkey') {
          const cipher = createCipheriv('id-aes256-wrap', key.secret, start)
          return answer(Buffer.concat([cipher.update(value), cipher.final()]))
        }
        const decipher = createDecipheriv('id-aes256-wrap', key.secret, start)
        return answer(Buffer.concat([decipher.update(value), decipher.final()]))
      } catch {
        return refuse(400, 'BadParameter')
      }
    }

    const credentials = (got: Got): Reply | undefined => {
      if (got.path === '/metadata/identity/oauth2/token') {
        const isRight =
          got.headers.metadata === 'true' &&
          got.query.get('api-version') === '2018-02-01' &&
          got.query.get('resource') === RESOURCE
        return isRight ? token() : { status: 400, body: { error: 'invalid_request' } }
      }
      if (got.path === '/msi/token') {
        const isRight =
          got.headers['x-identity-header'] === identityHeader &&
          got.query.get('api-version') === '2019-08-01' &&
          got.query.get('resource') === RESOURCE
        return isRight ? token() : { status: 400, body: { error: 'invalid_request' } }
      }
      if (got.path !== `/${TENANT}/oauth2/v2.0/token`) return undefined
      const form = new URLSearchParams(got.body)
      const isRequest =
        got.method === 'POST' &&
        got.headers['content-type'] === 'application/x-www-form-urlencoded' &&
        form.get('grant_type') === 'client_credentials' &&
        form.get('client_id') === CLIENT &&
        form.get('scope') === `${RESOURCE}/.default`
      if (!isRequest) return { status: 400, body: { error: 'invalid_request' } }
      const byAssertion =
        form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' &&
        form.get('client_assertion') === federatedToken
      return byAssertion || form.get('client_secret') === clientSecret
        ? token()
        : { status: 401, body: { error: 'invalid_client', error_description: 'A text of Entra ID.' } }
    }

    const sign = async (key: StoredKey, { alg, value }: Record<string, unknown>): Promise<Reply> => {
      const curve = CURVES[key.curve]
      if (!key.enabled) return refuse(403, 'Forbidden', 'KeyDisabled')
      if (!key.maySign) return refuse(403, 'Forbidden', 'KeyOperationForbidden')
      const hash = Buffer.from(String(value), 'base64url')
      const octets = curve.alg === 'ES384' ? 48 : 32
      if (alg !== curve.alg || hash.toString('base64url') !== value || hash.length !== octets)
        return refuse(400, 'BadParameter')
      const signature = derToJose(await chest.signHash(key, hash), curve.octets).toString('base64url')
      return { status: 200, body: { kid: `${origin()}/keys/${key.name}/${versionOf(key.name)}`, value: signature } }
    }

    return {
      isCredentials: (got) => !got.path.startsWith('/keys'),
      async answer(got) {
        const given = credentials(got)
        if (given !== undefined) return given
        const bearer = issued.get(/^Bearer (.+)$/.exec(got.headers.authorization ?? '')?.[1] ?? '')
        if (bearer === undefined || bearer.revoked || bearer.expiresAt <= clock().getTime())
          return refuse(401, 'Unauthorized')
        if (got.query.get('api-version') !== '7.4') return refuse(400, 'BadParameter')
        const [, , name = '', version, operation] = got.path.split('/')
        if (got.method === 'GET' && name === '') return refuse(403, 'Forbidden', 'ForbiddenByRbac')
        if (got.method === 'POST' && version === 'create') {
          const { kty, crv, key_ops: operations } = jsonOf(got)
          const curve = Object.entries(CURVES).find(([, known]) => known.crv === crv)?.[0] as
            | keyof typeof CURVES
            | undefined
          if (curve === undefined || !Array.isArray(operations) || !/^EC(-HSM)?$/.test(String(kty)))
            return refuse(400, 'BadParameter')
          return bundleOf(
            chest.add(name, { curve, maySign: operations.includes('sign'), inHardware: kty === 'EC-HSM' }),
          )
        }
        const wraps = chest.wrapping.get(name)
        if (wraps !== undefined) {
          if (version !== undefined && version !== versionOf(name)) return refuse(404, 'KeyNotFound')
          return got.method === 'GET' ? wrappingBundleOf(wraps) : byWrappingKey(wraps, operation ?? '', jsonOf(got))
        }
        const key = chest.keys.get(name)
        if (key === undefined || (version !== undefined && version !== versionOf(name)))
          return refuse(404, 'KeyNotFound')
        if (got.method === 'GET') return bundleOf(key)
        return operation === 'sign' ? sign(key, jsonOf(got)) : refuse(405, 'MethodNotAllowed')
      },
    }
  })
  return Object.assign(double, { issued, clientSecret, federatedToken, identityHeader })
}

export const AZURE_IDS = { tenantId: TENANT, clientId: CLIENT } as const
