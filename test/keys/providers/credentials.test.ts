import { rm, writeFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type KeyProvider,
  type ProviderNetwork,
  ProviderRefusal,
  type ProviderTools,
} from '../../../server/keys/providers/provider.js'
import { PROVIDER_KINDS } from '../../../server/keys/providers/registry.js'
import { startAws } from './doubles/aws.js'
import { AZURE_IDS, startAzure } from './doubles/azure.js'
import type { DoubleServer } from './doubles/double.js'
import { KEY_RING, startGoogle } from './doubles/google.js'
import { startVault } from './doubles/vault.js'
import { openProvider, testClock, testFile } from './subjects.js'

const soon = () => AbortSignal.timeout(30_000)
const DATA = Buffer.from('header.payload')

async function ended<Server extends DoubleServer>(starting: Promise<Server>): Promise<Server> {
  const server = await starting
  onTestFinished(() => server.close())
  return server
}

async function networkOf(
  kindName: string,
  settings: object,
  environment: ProviderTools['environment'],
): Promise<ProviderNetwork> {
  const kind = await PROVIDER_KINDS[kindName]?.()
  if (kind?.network === undefined) throw new Error(`There is no kind ${kindName}.`)
  return kind.network(kind.settings.parse(settings), environment)
}

/** Signs once, so the provider has accepted the credentials. */
async function signsWith(provider: KeyProvider, reference: string) {
  const key = await provider.find(reference, soon())
  expect((await provider.sign(key, DATA, soon())).length).toBe(64)
  return key
}

describe('credentials of AWS', () => {
  const AGENT = 'http://169.254.170.23'
  const METADATA = 'http://169.254.169.254'

  test('from the environment', async () => {
    const clock = testClock()
    const double = await ended(startAws(clock.now))
    const { AccessKeyId, SecretAccessKey, Token } = double.issue(3600)
    const environment = {
      AWS_DEFAULT_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: AccessKeyId,
      AWS_SECRET_ACCESS_KEY: SecretAccessKey,
      AWS_SESSION_TOKEN: Token,
    }
    const provider = await openProvider('aws-kms', { endpoint: double.origin }, environment, clock.now)
    await signsWith(provider, double.chest.add('payments').name)
  })

  test('from a profile of the shared file, which may change while the service runs', async () => {
    const clock = testClock()
    const double = await ended(startAws(clock.now))
    const content = () => {
      const { AccessKeyId, SecretAccessKey, Token } = double.issue(7200)
      return `# keys\n[default]\naws_access_key_id = WRONG\n\n[ issuer ]\naws_access_key_id = ${AccessKeyId}\naws_secret_access_key=${SecretAccessKey}\naws_session_token = ${Token}\n[other]\naws_access_key_id=WRONG\n`
    }
    const path = await testFile(content())
    const settings = { endpoint: double.origin, region: 'eu-central-1', profile: 'issuer' }
    const provider = await openProvider('aws-kms', settings, { AWS_SHARED_CREDENTIALS_FILE: path }, clock.now)
    const reference = double.chest.add('payments').name
    await signsWith(provider, reference)
    for (const one of double.issued.values()) one.revoked = true
    await writeFile(path, content())
    clock.pass(60)
    await expect(provider.check(soon())).rejects.toThrow('UnrecognizedClientException')
    await signsWith(provider, reference)
  })

  test('by web identity, with the token of the file as it is at that moment (IRSA)', async () => {
    const clock = testClock()
    const double = await ended(startAws(clock.now))
    const path = await testFile('an old token')
    const environment = {
      AWS_REGION: 'eu-central-1',
      AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/issuer',
      AWS_WEB_IDENTITY_TOKEN_FILE: path,
    }
    const settings = { endpoint: double.origin, stsEndpoint: double.origin }
    const provider = await openProvider('aws-kms', settings, environment, clock.now)
    await expect(provider.check(soon())).rejects.toThrow('status 400 (InvalidIdentityToken)')
    await writeFile(path, `${double.webIdentityToken}\n`)
    await signsWith(provider, double.chest.add('payments').name)
  })

  test('from the agent of a container (EKS Pod Identity)', async () => {
    const clock = testClock()
    const double = await ended(startAws(clock.now))
    const environment = {
      AWS_REGION: 'eu-central-1',
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${AGENT}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: double.containerToken,
    }
    const moved = { [AGENT]: double.origin }
    const provider = await openProvider('aws-kms', { endpoint: double.origin }, environment, clock.now, moved)
    await signsWith(provider, double.chest.add('payments').name)
  })

  test('from the metadata of the instance, by version 2 only', async () => {
    const clock = testClock()
    const double = await ended(startAws(clock.now))
    const moved = { [METADATA]: double.origin }
    const environment = { AWS_REGION: 'eu-central-1' }
    const provider = await openProvider('aws-kms', { endpoint: double.origin }, environment, clock.now, moved)
    await signsWith(provider, double.chest.add('payments').name)
    const steps = double.got
      .filter(({ path }) => path.startsWith('/latest'))
      .map(({ method, path }) => `${method} ${path}`)
    expect(steps).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/issuer-role',
    ])
    double.faults.credentials = ({ path }) => (path.endsWith('token') ? { status: 403, body: '' } : undefined)
    const other = await openProvider('aws-kms', { endpoint: double.origin }, environment, clock.now, moved)
    const before = double.got.length
    await expect(other.check(soon())).rejects.toThrow('got no credentials for the instance')
    expect(double.got.length).toBe(before + 1)
  })

  test('a role of the instance that would lead to another path is refused', async () => {
    const clock = testClock()
    const double = await ended(startAws(clock.now))
    const environment = { AWS_REGION: 'eu-central-1' }
    const moved = { [METADATA]: double.origin }
    double.faults.credentials = ({ path }) =>
      path.endsWith('security-credentials/') ? { status: 200, body: '../../../user-data' } : undefined
    const provider = await openProvider('aws-kms', { endpoint: double.origin }, environment, clock.now, moved)
    await expect(provider.check(soon())).rejects.toThrow('got no role of the instance')
  })

  test('the origins are those of the region and of the source alone', async () => {
    const region = { AWS_REGION: 'eu-central-1' }
    const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
    const web = { AWS_ROLE_ARN: 'arn:aws:iam::1:role/a', AWS_WEB_IDENTITY_TOKEN_FILE: '/token' }
    const kms = 'https://kms.eu-central-1.amazonaws.com'
    expect(await networkOf('aws-kms', {}, { ...region, ...keys })).toEqual({ origins: [kms] })
    expect(await networkOf('aws-kms', {}, { ...region, ...web })).toEqual({
      origins: [kms, 'https://sts.eu-central-1.amazonaws.com'],
    })
    expect(await networkOf('aws-kms', {}, region)).toEqual({ origins: [kms, METADATA] })
    const relative = { ...region, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/one' }
    expect(await networkOf('aws-kms', {}, relative)).toEqual({ origins: [kms, 'http://169.254.170.2'] })
    const sovereign = await networkOf('aws-kms', { region: 'eusc-de-east-1' }, keys)
    expect(sovereign).toEqual({ origins: ['https://kms.eusc-de-east-1.amazonaws.eu'] })
  })

  test.each([
    ['no region', {}, { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }, 'AWS_REGION'],
    ['a region that is an address', {}, { AWS_REGION: 'evil.example/#' }, 'AWS_REGION'],
    ['no secret', {}, { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'a' }, 'AWS_SECRET_ACCESS_KEY'],
    ['no role', {}, { AWS_REGION: 'eu-west-1', AWS_WEB_IDENTITY_TOKEN_FILE: '/t' }, 'AWS_ROLE_ARN'],
    [
      'metadata switched off',
      {},
      { AWS_REGION: 'eu-west-1', AWS_EC2_METADATA_DISABLED: 'true' },
      'AWS_EC2_METADATA_DISABLED',
    ],
    [
      'an agent that is another machine',
      {},
      { AWS_REGION: 'eu-west-1', AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://10.0.0.1/' },
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
    ],
    [
      'a path of the agent with a host',
      {},
      { AWS_REGION: 'eu-west-1', AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '@evil.example/' },
      'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
    ],
  ])('%s is refused by name', async (_what, settings, environment, name) => {
    await expect(networkOf('aws-kms', settings, environment)).rejects.toThrow(name)
  })

  test('a wrong secret access key is named as such', async () => {
    const clock = testClock()
    const double = await ended(startAws(clock.now))
    const { AccessKeyId, Token } = double.issue(3600)
    const environment = {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: AccessKeyId,
      AWS_SECRET_ACCESS_KEY: 'hunter2',
      AWS_SESSION_TOKEN: Token,
    }
    const provider = await openProvider('aws-kms', { endpoint: double.origin }, environment, clock.now)
    const message = await provider.check(soon()).catch((error: Error) => error.message)
    expect(message).toContain('InvalidSignatureException')
    expect(message).toContain('the clock of this machine')
    expect(message).not.toContain('hunter2')
  })

  test('with message raw, KMS gets the message; a message that is too long for KMS is hashed', async () => {
    const clock = testClock()
    const double = await ended(startAws(clock.now))
    const { AccessKeyId, SecretAccessKey, Token } = double.issue(3600)
    const environment = {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: AccessKeyId,
      AWS_SECRET_ACCESS_KEY: SecretAccessKey,
      AWS_SESSION_TOKEN: Token,
    }
    const provider = await openProvider('aws-kms', { endpoint: double.origin, message: 'raw' }, environment, clock.now)
    const key = await provider.find(double.chest.add('payments').name, soon())
    for (const length of [4096, 4097]) await provider.sign(key, Buffer.alloc(length, 65), soon())
    const sent = double.got
      .filter(({ headers }) => headers['x-amz-target'] === 'TrentService.Sign')
      .map(({ body }) => JSON.parse(body))
    expect(sent.map(({ MessageType }) => MessageType)).toEqual(['RAW', 'DIGEST'])
  })
})

describe('credentials of Azure', () => {
  const settingsOf = (origin: string) => ({ vaultUrl: origin, authority: origin, resource: 'https://vault.azure.net' })

  test('by workload identity, with the token of the file as it is at that moment', async () => {
    const clock = testClock()
    const double = await ended(startAzure(clock.now))
    const path = await testFile('an old token')
    const environment = {
      AZURE_TENANT_ID: AZURE_IDS.tenantId,
      AZURE_CLIENT_ID: AZURE_IDS.clientId,
      AZURE_FEDERATED_TOKEN_FILE: path,
    }
    const provider = await openProvider('azure-keyvault', settingsOf(double.origin), environment, clock.now)
    await expect(provider.check(soon())).rejects.toThrow(
      'got no token by workload-identity: status 401 (invalid_client)',
    )
    await writeFile(path, double.federatedToken)
    await signsWith(provider, double.chest.add('payments').name)
  })

  test('from the environment, with a client secret', async () => {
    const clock = testClock()
    const double = await ended(startAzure(clock.now))
    const environment = {
      AZURE_TENANT_ID: AZURE_IDS.tenantId,
      AZURE_CLIENT_ID: AZURE_IDS.clientId,
      AZURE_CLIENT_SECRET: double.clientSecret,
      AZURE_AUTHORITY_HOST: `${double.origin}/`,
    }
    const settings = { vaultUrl: double.origin, resource: 'https://vault.azure.net' }
    const provider = await openProvider('azure-keyvault', settings, environment, clock.now)
    await signsWith(provider, double.chest.add('payments').name)
  })

  test.each([
    ['the machine', {}],
    ['App Service', { IDENTITY_ENDPOINT: 'http://169.254.131.1/msi/token' }],
  ])('by the managed identity of %s', async (_what, given) => {
    const clock = testClock()
    const double = await ended(startAzure(clock.now))
    const environment = { ...given, IDENTITY_HEADER: double.identityHeader }
    const moved = { 'http://169.254.169.254': double.origin, 'http://169.254.131.1': double.origin }
    const provider = await openProvider('azure-keyvault', settingsOf(double.origin), environment, clock.now, moved)
    await signsWith(provider, double.chest.add('payments').name)
  })

  test('the audience of tokens follows from the cloud of the vault', async () => {
    const clock = testClock()
    const origins = await networkOf('azure-keyvault', { vaultUrl: 'https://credence.vault.usgovcloudapi.net' }, {})
    expect(origins).toEqual({ origins: ['https://credence.vault.usgovcloudapi.net', 'http://169.254.169.254'] })
    await expect(networkOf('azure-keyvault', { vaultUrl: 'https://vault.example' }, {})).rejects.toThrow(
      'resource must be set',
    )
    await expect(openProvider('azure-keyvault', { vaultUrl: 'http://vault.example' }, {}, clock.now)).rejects.toThrow(
      'must be an https URL',
    )
  })

  test.each([
    ['no tenant', { credentials: 'client-secret', clientSecretFile: '/s' }, {}, 'AZURE_TENANT_ID'],
    [
      'a tenant that leads to another path',
      { credentials: 'client-secret', clientSecretFile: '/s' },
      { AZURE_TENANT_ID: '../a' },
      'AZURE_TENANT_ID',
    ],
    ['no secret', { credentials: 'client-secret' }, {}, 'AZURE_CLIENT_SECRET'],
    ['no federated token', { credentials: 'workload-identity' }, {}, 'AZURE_FEDERATED_TOKEN_FILE'],
    [
      'an agent that is another machine',
      {},
      { IDENTITY_ENDPOINT: 'http://10.0.0.1/', IDENTITY_HEADER: 'a' },
      'IDENTITY_ENDPOINT',
    ],
  ])('%s is refused by name', async (_what, settings, environment, name) => {
    const all = { vaultUrl: 'https://credence.vault.azure.net', ...settings }
    await expect(networkOf('azure-keyvault', all, environment)).rejects.toThrow(name)
  })

  test('a file that is gone is named, and its content is not', async () => {
    const clock = testClock()
    const double = await ended(startAzure(clock.now))
    const path = await testFile(double.clientSecret)
    const settings = { ...settingsOf(double.origin), ...AZURE_IDS, clientSecretFile: path }
    const provider = await openProvider('azure-keyvault', settings, {}, clock.now)
    await rm(path)
    await expect(provider.check(soon())).rejects.toThrow(path)
    await writeFile(path, '\n')
    await expect(provider.check(soon())).rejects.toThrow('is empty')
    await writeFile(path, 'x'.repeat(70_000))
    await expect(provider.check(soon())).rejects.toThrow('has more than 65536 bytes')
    await writeFile(path, double.clientSecret)
    await provider.check(soon())
  })
})

describe('credentials of Google', () => {
  test('by workload identity federation and impersonation, with the token of a JSON file', async () => {
    const clock = testClock()
    const double = await ended(startGoogle(clock.now))
    const tokenFile = await testFile(JSON.stringify({ id_token: 'an old token' }))
    const environment = { GOOGLE_APPLICATION_CREDENTIALS: await testFile(double.federation(tokenFile)) }
    const provider = await openProvider(
      'google-kms',
      { keyRing: KEY_RING, endpoint: double.origin },
      environment,
      clock.now,
    )
    await expect(provider.check(soon())).rejects.toThrow('got no token by federation: status 400 (invalid_grant)')
    await writeFile(tokenFile, JSON.stringify({ id_token: double.subjectToken }))
    await signsWith(provider, double.chest.add('payments').name)
    await writeFile(tokenFile, '{"other": 1}')
    for (const one of double.issued.values()) one.revoked = true
    clock.pass(60)
    await expect(provider.check(soon())).rejects.toThrow('status 401')
    await expect(provider.check(soon())).rejects.toThrow('has no text id_token')
  })

  test('from the metadata server, which shows itself by a header', async () => {
    const clock = testClock()
    const double = await ended(startGoogle(clock.now))
    const moved = { 'http://metadata.google.internal': double.origin }
    const provider = await openProvider(
      'google-kms',
      { keyRing: KEY_RING, endpoint: double.origin },
      {},
      clock.now,
      moved,
    )
    double.faults.credentials = () => ({ status: 200, body: { access_token: 'forged', expires_in: 3600 } })
    await expect(provider.check(soon())).rejects.toThrow('not from the metadata server')
    double.faults.credentials = undefined
    await signsWith(provider, double.chest.add('payments').name)
  })

  test.each<[string, (file: Record<string, unknown>) => unknown, string]>([
    ['no JSON', () => 'no JSON: hunter2', 'is no JSON'],
    [
      'credentials of a person',
      () => ({ type: 'authorized_user', refresh_token: 'hunter2' }),
      'must be service_account or external_account',
    ],
    [
      'a token address over http',
      (file) => ({ ...file, token_uri: 'http://evil.example/token' }),
      'token_uri must be an https URL',
    ],
    ['a private key that is none', (file) => ({ ...file, private_key: 'hunter2' }), 'private_key that is no RSA key'],
    [
      'a program as its source',
      () => ({
        type: 'external_account',
        audience: 'a',
        subject_token_type: 'b',
        token_url: 'https://sts.googleapis.com/v1/token',
        credential_source: { executable: { command: 'hunter2' } },
      }),
      'credential_source.file',
    ],
  ])('a file with %s is refused by name', async (_what, change, reason) => {
    const clock = testClock()
    const double = await ended(startGoogle(clock.now))
    const content = change(JSON.parse(double.serviceAccount()))
    const path = await testFile(typeof content === 'string' ? content : JSON.stringify(content))
    const message = await networkOf('google-kms', { keyRing: KEY_RING, credentialsFile: path }, {}).catch(
      (error: Error) => error.message,
    )
    expect(message).toContain(reason)
    expect(message).toContain(path)
    expect(message).not.toContain('hunter2')
  })

  test('a new key that is still being generated is awaited', async () => {
    const clock = testClock()
    const double = await ended(startGoogle(clock.now))
    const settings = {
      keyRing: KEY_RING,
      endpoint: double.origin,
      credentialsFile: await testFile(double.serviceAccount()),
    }
    const provider = await openProvider('google-kms', settings, {}, clock.now)
    double.delayGeneration(2)
    expect((await provider.generate('slow', 'ES256', soon())).alg).toBe('ES256')
    double.delayGeneration(1_000)
    await expect(provider.generate('slower', 'ES256', AbortSignal.timeout(1_200))).rejects.toThrow()
  })

  test.each([
    ['the hash was not checked', { verifiedDigestCrc32c: false }],
    ['the signature has another checksum', { signatureCrc32c: '1' }],
    ['another key signed', { name: `${KEY_RING}/cryptoKeys/payments/cryptoKeyVersions/2` }],
  ])('a signature is refused if %s', async (_what, changed) => {
    const clock = testClock()
    const double = await ended(startGoogle(clock.now))
    const settings = {
      keyRing: KEY_RING,
      endpoint: double.origin,
      credentialsFile: await testFile(double.serviceAccount()),
    }
    const provider = await openProvider('google-kms', settings, {}, clock.now)
    const key = await signsWith(provider, double.chest.add('payments').name)
    double.faults.api = (_got, response) => {
      const end = response.end.bind(response)
      response.end = ((text: string) => end(JSON.stringify({ ...JSON.parse(text), ...changed }))) as typeof response.end
      return undefined
    }
    await expect(provider.sign(key, DATA, soon())).rejects.toThrow(/checksum is wrong|with another key/)
  })
})

describe('credentials of Vault', () => {
  const settingsOf = (origin: string, authentication?: object) => ({
    address: origin,
    mount: 'signing',
    namespace: 'issuers',
    ...(authentication && { authentication }),
  })

  test('by a token of the environment that has no end', async () => {
    const clock = testClock()
    const double = await ended(startVault(clock.now))
    const environment = { VAULT_ADDR: double.origin, VAULT_NAMESPACE: 'issuers', VAULT_TOKEN: double.issue(undefined) }
    const provider = await openProvider('vault-transit', { mount: 'signing' }, environment, clock.now)
    await signsWith(provider, double.chest.add('payments').name)
  })

  test('by a token file: a token is renewed, and a new token in the file is used', async () => {
    const clock = testClock()
    const double = await ended(startVault(clock.now))
    const [first, second] = [double.issue(1000), double.issue(100_000)]
    const path = await testFile(first)
    const provider = await openProvider(
      'vault-transit',
      settingsOf(double.origin, { method: 'token', tokenFile: path }),
      {},
      clock.now,
    )
    const reference = double.chest.add('payments').name
    await signsWith(provider, reference)
    const used = () => double.got.filter(({ path: asked }) => asked.includes('/sign/')).at(-1)?.headers['x-vault-token']
    expect(used()).toBe(first)
    const renewals = () => double.got.filter(({ path: asked }) => asked.endsWith('/renew-self')).length
    expect(renewals()).toBe(1)
    clock.pass(3400)
    await signsWith(provider, reference)
    await expect.poll(renewals).toBe(2)
    await writeFile(path, second)
    clock.pass(5000)
    await expect.poll(async () => signsWith(provider, reference).then(used)).toBe(second)
  })

  test('by Kubernetes, with the token of the file as it is at that moment', async () => {
    const clock = testClock()
    const double = await ended(startVault(clock.now))
    const tokenFile = await testFile('an old token')
    const authentication = { method: 'kubernetes', role: 'issuer', mount: 'clusters/eu', tokenFile }
    const provider = await openProvider('vault-transit', settingsOf(double.origin, authentication), {}, clock.now)
    await expect(provider.check(soon())).rejects.toThrow('refused the login by kubernetes: status 403')
    await writeFile(tokenFile, double.serviceAccountToken)
    await signsWith(provider, double.chest.add('payments').name)
  })

  test('a secret ID for one login lasts as long as its token can be renewed', async () => {
    const clock = testClock()
    const double = await ended(startVault(clock.now))
    double.uses.left = 1
    const authentication = { method: 'approle', roleId: double.roleId, secretIdFile: await testFile(double.secretId) }
    const provider = await openProvider('vault-transit', settingsOf(double.origin, authentication), {}, clock.now)
    const reference = double.chest.add('payments').name
    await signsWith(provider, reference)
    const renewals = () => double.got.filter(({ path }) => path.endsWith('/renew-self')).length
    clock.pass(3400)
    await signsWith(provider, reference)
    await expect.poll(renewals).toBe(1)
    clock.pass(3400)
    await signsWith(provider, reference)
    await expect.poll(renewals).toBe(2)
    expect(double.uses.left).toBe(0)
  })

  test('a token that cannot be a header is refused, and the message does not quote it', async () => {
    const clock = testClock()
    const double = await ended(startVault(clock.now))
    const authentication = { method: 'token', tokenFile: await testFile('hunter2\nx-injected: 1') }
    const provider = await openProvider('vault-transit', settingsOf(double.origin, authentication), {}, clock.now)
    const error = await provider.check(soon()).catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(ProviderRefusal)
    expect((error as Error).message).not.toContain('hunter2')
    expect(double.got).toEqual([])
  })

  test('a key with a plaintext backup, a derived key and an old version are refused', async () => {
    const clock = testClock()
    const double = await ended(startVault(clock.now))
    const provider = await openProvider(
      'vault-transit',
      settingsOf(double.origin),
      { VAULT_TOKEN: double.issue(undefined) },
      clock.now,
    )
    double.chest.add('payments')
    const data = {
      type: 'ecdsa-p256',
      supports_signing: true,
      exportable: false,
      allow_plaintext_backup: false,
      derived: false,
      latest_version: 2,
      keys: { 2: {} },
    }
    const refusalFor = async (changed: object, reference = 'payments') => {
      double.faults.api = () => ({ status: 200, body: { data: { ...data, ...changed } } })
      return provider.find(reference, soon()).catch((error: Error) => error.message)
    }
    expect(await refusalFor({ exportable: true })).toContain('can be exported: exportable is not false')
    expect(await refusalFor({ exportable: undefined })).toContain('can be exported: exportable is not false')
    expect(await refusalFor({ allow_plaintext_backup: true })).toContain(
      'can be exported: allow_plaintext_backup is not false',
    )
    expect(await refusalFor({ derived: true })).toContain('is derived')
    expect(await refusalFor({}, 'payments/1')).toContain('Vault has no such version')
    expect(await refusalFor({ keys: { 1: {} }, min_encryption_version: 2 }, 'payments/1')).toContain(
      'min_encryption_version',
    )
  })

  test('a label that exists already makes no second name for a key', async () => {
    const clock = testClock()
    const double = await ended(startVault(clock.now))
    const provider = await openProvider(
      'vault-transit',
      settingsOf(double.origin),
      { VAULT_TOKEN: double.issue(undefined) },
      clock.now,
    )
    double.chest.add('taken', { curve: 'P-384' })
    await expect(provider.generate('taken', 'ES256', soon())).rejects.toThrow('already has a key taken')
  })

  test.each([
    ['an unknown method', { authentication: { method: 'ldap' } }, 'must have a method'],
    ['a mount that leads to another path', { mount: '../sys' }, 'must be a path'],
    ['plain http to another machine', { address: 'http://vault.internal:8200' }, 'must be an https URL'],
    ['a member that does not exist', { token: 'hunter2' }, 'token'],
    [
      'a secret in the settings',
      { authentication: { method: 'approle', roleId: 'a', secretIdFile: '/s', secretId: 'hunter2' } },
      'secretId',
    ],
  ])('%s is refused by name', async (_what, settings, name) => {
    const kind = await PROVIDER_KINDS['vault-transit']?.()
    const parsed = kind?.settings.safeParse({ address: 'https://vault.example', ...settings })
    expect(parsed?.success).toBe(false)
    expect(JSON.stringify(parsed?.error?.issues)).toContain(name)
    expect(JSON.stringify(parsed?.error?.issues)).not.toContain('hunter2')
  })
})
