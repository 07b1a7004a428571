import { createHash, createHmac, randomBytes, sign } from 'node:crypto'
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

const hex = (text: string) => createHash('sha256').update(text).digest('hex')
const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

interface Issued {
  readonly secret: string
  readonly token: string
  readonly expiresAt: number
  revoked: boolean
}

const SPECS = {
  'P-256': { spec: 'ECC_NIST_P256', algorithm: 'ECDSA_SHA_256', hash: 'sha256' },
  'P-384': { spec: 'ECC_NIST_P384', algorithm: 'ECDSA_SHA_384', hash: 'sha384' },
  'P-521': { spec: 'ECC_NIST_P521', algorithm: 'ECDSA_SHA_512', hash: 'sha512' },
  secp256k1: { spec: 'ECC_SECG_P256K1', algorithm: 'ECDSA_SHA_256', hash: 'sha256' },
  Ed25519: { spec: 'ECC_NIST_EDWARDS25519', algorithm: 'ED25519_SHA_512', hash: 'sha512' },
} as const

export interface AwsDouble extends DoubleServer {
  readonly issued: Map<string, Issued>
  /** Issues keys as the operator would get them for the environment. */
  issue(seconds: number): { AccessKeyId: string; SecretAccessKey: string; Token: string; Expiration: string }
  readonly containerToken: string
  readonly webIdentityToken: string
}

const refuse = (status: number, type: string): Reply => ({ status, body: { __type: type, message: 'A text of KMS.' } })

/** A double of KMS, of STS and of the agents that give credentials. @param lifeSeconds the life of credentials */
export async function startAws(clock: () => Date, lifeSeconds = 3600): Promise<AwsDouble> {
  const issued = new Map<string, Issued>()
  const containerToken = randomBytes(16).toString('hex')
  const webIdentityToken = randomBytes(16).toString('hex')
  let instanceToken = ''

  const issue = (seconds: number) => {
    const AccessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`
    const [SecretAccessKey, Token] = [randomBytes(30).toString('base64'), randomBytes(60).toString('base64')]
    const expiresAt = clock().getTime() + seconds * 1000
    issued.set(AccessKeyId, { secret: SecretAccessKey, token: Token, expiresAt, revoked: false })
    return { AccessKeyId, SecretAccessKey, Token, Expiration: new Date(expiresAt).toISOString() }
  }

  /** Checks a signature by the documentation of Signature Version 4, from the request as it came. */
  const faultOfSignature = ({ method, path, query, headers, body }: Got): Reply | undefined => {
    const [, id, scope, names, signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? []
    const keys = id === undefined ? undefined : issued.get(id)
    if (scope === undefined || names === undefined) return refuse(400, 'IncompleteSignatureException')
    if (keys === undefined || keys.revoked) return refuse(400, 'UnrecognizedClientException')
    if (headers['x-amz-security-token'] !== keys.token) return refuse(400, 'UnrecognizedClientException')
    if (keys.expiresAt <= clock().getTime()) return refuse(400, 'ExpiredTokenException')
    const moment = String(headers['x-amz-date'])
    const sent = Date.parse(moment.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
    if (!(Math.abs(sent - clock().getTime()) < 300_000)) return refuse(400, 'RequestExpired')
    const [day = '', region = '', service = '', end] = scope.split('/')
    if (day !== moment.slice(0, 8) || region !== 'eu-central-1' || service !== 'kms' || end !== 'aws4_request')
      return refuse(400, 'InvalidSignatureException')
    const signed = names.split(';')
    const wanted = ['content-type', 'host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target']
    if (!wanted.every((name) => signed.includes(name))) return refuse(400, 'InvalidSignatureException')
    const canonical = [
      method,
      path,
      [...query]
        .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
        .sort()
        .join('&'),
      ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}`),
      '',
      names,
      hex(body),
    ].join('\n')
    const key = mac(mac(mac(mac(`AWS4${keys.secret}`, day), region), service), 'aws4_request')
    const expected = mac(key, ['AWS4-HMAC-SHA256', moment, scope, hex(canonical)].join('\n')).toString('hex')
    return expected === signature ? undefined : refuse(400, 'InvalidSignatureException')
  }

  const double = await startDouble(({ chest }) => {
    const arn = (name: string) => `arn:aws:kms:eu-central-1:111122223333:key/${name}`
    const named = (input: Record<string, unknown>) => chest.keys.get(String(input.KeyId).replace(/^.*key\//, ''))
    const metadataOf = (key: StoredKey) => ({
      Arn: arn(key.name),
      KeyId: key.name,
      Enabled: key.enabled,
      KeyState: key.enabled ? 'Enabled' : 'Disabled',
      KeyUsage: key.maySign ? 'SIGN_VERIFY' : 'KEY_AGREEMENT',
      KeySpec: SPECS[key.curve].spec,
      Origin: 'AWS_KMS',
    })

    const wrappingNamed = (input: Record<string, unknown>) =>
      chest.wrapping.get(String(input.KeyId).replace(/^.*key\//, ''))
    const wrappingMetadata = (key: StoredWrappingKey) => ({
      Arn: arn(key.name),
      KeyId: key.name,
      Enabled: key.enabled,
      KeyState: key.enabled ? 'Enabled' : 'Disabled',
      KeyUsage: key.mayWrap ? 'ENCRYPT_DECRYPT' : 'GENERATE_VERIFY_MAC',
      KeySpec: key.mayWrap ? (key.isRsa ? 'RSA_2048' : 'SYMMETRIC_DEFAULT') : 'HMAC_256',
      Origin: 'AWS_KMS',
    })
    /** The ciphertext names its key, and the encryption context is authenticated. */
    const contextIn = ({ EncryptionContext }: Record<string, unknown>) =>
      JSON.stringify(Object.entries(EncryptionContext ?? {}).sort())

    const operations: Record<string, (input: Record<string, unknown>) => Promise<Reply> | Reply> = {
      CreateKey({ KeySpec, KeyUsage, Description }) {
        const curve = Object.entries(SPECS).find(([, { spec }]) => spec === KeySpec)?.[0] as
          | keyof typeof SPECS
          | undefined
        if (curve === undefined || KeyUsage !== 'SIGN_VERIFY' || typeof Description !== 'string')
          return refuse(400, 'ValidationException')
        return { status: 200, body: { KeyMetadata: metadataOf(chest.add(`new-${chest.keys.size}`, { curve })) } }
      },
      DescribeKey(input) {
        const wraps = wrappingNamed(input)
        if (wraps !== undefined) return { status: 200, body: { KeyMetadata: wrappingMetadata(wraps) } }
        const key = named(input)
        return key === undefined
          ? refuse(400, 'NotFoundException')
          : { status: 200, body: { KeyMetadata: metadataOf(key) } }
      },
      GetPublicKey(input) {
        const key = named(input)
        if (key === undefined) return refuse(400, 'NotFoundException')
        const spki = key.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
        return { status: 200, body: { KeyId: arn(key.name), PublicKey: spki, KeyUsage: 'SIGN_VERIFY' } }
      },
      async Sign(input) {
        const key = named(input)
        if (key === undefined) return refuse(400, 'NotFoundException')
        if (!key.enabled) return refuse(400, 'DisabledException')
        if (!key.maySign) return refuse(400, 'InvalidKeyUsageException')
        const { algorithm, hash } = SPECS[key.curve]
        if (input.SigningAlgorithm !== algorithm) return refuse(400, 'InvalidKeyUsageException')
        const message = strictBase64(input.Message)
        if (message.length > 4096) return refuse(400, 'ValidationException')
        if (input.MessageType === 'RAW') {
          const signature = sign(hash, message, key.privateKey).toString('base64')
          return { status: 200, body: { KeyId: arn(key.name), Signature: signature, SigningAlgorithm: algorithm } }
        }
        const octets = createHash(hash).update('').digest().length
        if (input.MessageType !== 'DIGEST' || message.length !== octets) return refuse(400, 'ValidationException')
        const signature = (await chest.signHash(key, message)).toString('base64')
        return { status: 200, body: { KeyId: arn(key.name), Signature: signature, SigningAlgorithm: algorithm } }
      },
      Encrypt(input) {
        const key = wrappingNamed(input)
        if (key === undefined) return refuse(400, 'NotFoundException')
        if (!key.enabled) return refuse(400, 'DisabledException')
        const sealed = gcmSealed(key.secret, strictBase64(input.Plaintext), contextIn(input))
        const blob = Buffer.concat([Buffer.from([key.name.length]), Buffer.from(key.name), sealed]).toString('base64')
        return { status: 200, body: { KeyId: arn(key.name), CiphertextBlob: blob } }
      },
      Decrypt(input) {
        const key = wrappingNamed(input)
        if (key === undefined) return refuse(400, 'NotFoundException')
        if (!key.enabled) return refuse(400, 'DisabledException')
        const blob = strictBase64(input.CiphertextBlob)
        const length = blob[0] ?? 0
        if (blob.subarray(1, 1 + length).toString() !== key.name) return refuse(400, 'IncorrectKeyException')
        const opened = gcmOpened(key.secret, blob.subarray(1 + length), contextIn(input))
        if (opened === undefined) return refuse(400, 'InvalidCiphertextException')
        return { status: 200, body: { KeyId: arn(key.name), Plaintext: opened.toString('base64') } }
      },
      ListKeys: () => ({ status: 400, body: { __type: 'com.amazonaws.kms#AccessDeniedException', Message: 'No.' } }),
    }

    const credentials = (got: Got): Reply | undefined => {
      if (got.path === '/container') {
        if (got.headers.authorization !== containerToken) return { status: 401, body: {} }
        return { status: 200, body: issue(lifeSeconds) }
      }
      if (got.path === '/latest/api/token') {
        if (got.method !== 'PUT' || got.headers['x-aws-ec2-metadata-token-ttl-seconds'] === undefined)
          return { status: 400, body: '' }
        instanceToken = randomBytes(16).toString('hex')
        return { status: 200, body: instanceToken }
      }
      if (got.path.startsWith('/latest/meta-data/iam/security-credentials/')) {
        if (instanceToken === '' || got.headers['x-aws-ec2-metadata-token'] !== instanceToken)
          return { status: 401, body: '' }
        return got.path.endsWith('/')
          ? { status: 200, body: 'issuer-role\n' }
          : { status: 200, body: issue(lifeSeconds) }
      }
      const form = new URLSearchParams(got.body)
      if (form.get('Action') !== 'AssumeRoleWithWebIdentity') return undefined
      const isRight =
        form.get('Version') === '2011-06-15' &&
        form.get('RoleArn') === 'arn:aws:iam::111122223333:role/issuer' &&
        form.get('RoleSessionName') !== null &&
        form.get('WebIdentityToken') === webIdentityToken
      if (!isRight) {
        const body =
          '<ErrorResponse><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code></Error></ErrorResponse>'
        return { status: 400, body, headers: { 'content-type': 'text/xml' } }
      }
      const keys = issue(lifeSeconds)
      const body =
        '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>' +
        `<Credentials><SessionToken>${keys.Token}</SessionToken><SecretAccessKey>${keys.SecretAccessKey}</SecretAccessKey>` +
        `<Expiration>${keys.Expiration}</Expiration><AccessKeyId>${keys.AccessKeyId}</AccessKeyId></Credentials>` +
        '</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>'
      return { status: 200, body, headers: { 'content-type': 'text/xml' } }
    }

    return {
      isCredentials: (got) => got.headers['x-amz-target'] === undefined,
      answer(got) {
        const given = credentials(got)
        if (given !== undefined) return given
        const operation = operations[String(got.headers['x-amz-target']).replace('TrentService.', '')]
        if (got.method !== 'POST' || got.path !== '/' || got.headers['content-type'] !== 'application/x-amz-json-1.1')
          return refuse(404, 'UnknownOperationException')
        return faultOfSignature(got) ?? operation?.(jsonOf(got)) ?? refuse(404, 'UnknownOperationException')
      },
    }
  })
  return Object.assign(double, { issued, issue, containerToken, webIdentityToken })
}
