import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { providerFetch } from '../../../server/keys/providers/network.js'
import type { KeyProvider, ProviderTools } from '../../../server/keys/providers/provider.js'
import { PROVIDER_KINDS } from '../../../server/keys/providers/registry.js'
import type { OutboundFetch } from '../../../server/outbound/guard.js'
import { OutboundError } from '../../../server/outbound/outbound-error.js'
import { movingClock } from '../../issuer/openid4vci/actors.js'
import { startAws } from './doubles/aws.js'
import { AZURE_IDS, startAzure } from './doubles/azure.js'
import type { DoubleServer, Got, KeyWish, Reply, WrappingWish } from './doubles/double.js'
import { KEY_RING, startGoogle } from './doubles/google.js'
import { startVault } from './doubles/vault.js'

/** A clock that a test moves. */
export interface TestClock {
  readonly now: () => Date
  pass(seconds: number): void
  /** Stops the clock, so that a busy machine may take any time between two steps. Only `pass` then moves it. */
  stop(): void
}

export function testClock(): TestClock {
  const clock = movingClock()
  const { now, stop } = clock
  return {
    now,
    stop,
    pass: (seconds) => {
      clock.ahead += seconds
    },
  }
}

/** A provider of one kind, with its double and everything that differs between the kinds. */
export interface Subject {
  readonly kind: string
  readonly double: DoubleServer & {
    /** The credentials that the double has issued, with their ends in milliseconds since 1970. */
    readonly issued: ReadonlyMap<string, { readonly expiresAt: number }>
  }
  readonly clock: TestClock
  /** Texts that no message may hold. */
  readonly secrets: () => string[]
  readonly algorithms: readonly string[]
  /** The member of the answer to `sign` with the signature, as the adapter reads it. */
  readonly withSignature: (reply: Record<string, unknown>, signature: string) => Record<string, unknown>
  /** Whether a request asks for a signature. */
  readonly isSign: (got: Got) => boolean
  readonly isGenerate: (got: Got) => boolean
  /** The octets that a request gives for signing. */
  readonly signedOctets: (got: Got) => Buffer
  /** The answer of the provider to a caller without permission. */
  readonly forbidden: Reply
  /** Ends all credentials at the provider, as an operator would. */
  readonly revoke: () => void
  /** The members of an entry of KEY_PROVIDERS, and the environment that they need. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string>>
  open(): Promise<KeyProvider>
  add(name: string, wish?: KeyWish): string
  /** @returns the name of the key as an operator configures it */
  addWrapping(name: string, wish?: WrappingWish): string
  /** Whether a request asks to unwrap a key. */
  readonly isUnwrap: (got: Got) => boolean
}

/** A folder that ends with the test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'credence-keys-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A file that ends with the test. */
export async function testFile(content: string): Promise<string> {
  const path = join(await testFolder(), randomBytes(4).toString('hex'))
  await writeFile(path, content)
  return path
}

/**
 * Opens a provider as the service does: settings are parsed, and the guarded fetch reaches only the origins that the
 * kind names.
 *
 * @param moved origins of agents that no test can have, and the double that stands for them
 * @param caFile further certificate authorities of the provider
 */
export async function openProvider(
  kindName: string,
  settings: object,
  environment: ProviderTools['environment'],
  clock: () => Date,
  moved: Readonly<Record<string, string>> = {},
  caFile?: string,
): Promise<KeyProvider> {
  const kind = await PROVIDER_KINDS[kindName]?.()
  if (kind === undefined) throw new Error(`There is no kind ${kindName}.`)
  const parsed = kind.settings.parse(settings)
  const { origins = [] } = kind.network?.(parsed, environment) ?? {}
  const reached = origins.map((origin) => moved[origin] ?? origin)
  const made = await providerFetch({ origins: reached, caFile }, undefined, 30_000)
  onTestFinished(() => made.outbound.close())
  const fetch: OutboundFetch = (input, init) => {
    const { href, origin } = new URL(String(input))
    if (!origins.includes(origin)) throw new OutboundError('url', `${origin} is not named by the kind.`)
    return made.fetch(href.replace(origin, moved[origin] ?? origin), init)
  }
  const provider = await kind.open(parsed, { name: 'hsm', fetch, environment, clock })
  onTestFinished(() => provider.close())
  return provider
}

const revokeAll = (issued: ReadonlyMap<string, { revoked: boolean }>) => () => {
  for (const one of issued.values()) one.revoked = true
}

async function aws(): Promise<Subject> {
  const clock = testClock()
  const double = await startAws(clock.now)
  const environment = {
    AWS_REGION: 'eu-central-1',
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${double.origin}/container`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: await testFile(`${double.containerToken}\n`),
  }
  const operation = (got: Got) => got.headers['x-amz-target']
  return {
    kind: 'aws-kms',
    double,
    clock,
    secrets: () => [
      double.containerToken,
      ...[...double.issued.values()].flatMap(({ secret, token }) => [secret, token]),
    ],
    algorithms: ['ES256', 'ES384', 'ES256K'],
    withSignature: (reply, signature) => ({ ...reply, Signature: signature }),
    isSign: (got) => operation(got) === 'TrentService.Sign',
    isGenerate: (got) => operation(got) === 'TrentService.CreateKey',
    signedOctets: (got) => Buffer.from(String(JSON.parse(got.body).Message), 'base64'),
    forbidden: { status: 400, body: { __type: 'AccessDeniedException', Message: 'User is not authorized: hunter2' } },
    revoke: revokeAll(double.issued),
    settings: { endpoint: double.origin },
    environment,
    open: () => openProvider('aws-kms', { endpoint: double.origin }, environment, clock.now),
    add: (name, wish) => `arn:aws:kms:eu-central-1:111122223333:key/${double.chest.add(name, wish).name}`,
    addWrapping: (name, wish) =>
      `arn:aws:kms:eu-central-1:111122223333:key/${double.chest.addWrapping(name, wish).name}`,
    isUnwrap: (got) => operation(got) === 'TrentService.Decrypt',
  }
}

async function azure(): Promise<Subject> {
  const clock = testClock()
  const double = await startAzure(clock.now)
  const settings = {
    vaultUrl: double.origin,
    authority: double.origin,
    resource: 'https://vault.azure.net',
    clientSecretFile: await testFile(double.clientSecret),
    ...AZURE_IDS,
  }
  return {
    kind: 'azure-keyvault',
    double,
    clock,
    secrets: () => [double.clientSecret, ...double.issued.keys()],
    algorithms: ['ES256', 'ES384', 'ES256K'],
    withSignature: (reply, signature) => ({ ...reply, value: signature }),
    isSign: (got) => got.path.endsWith('/sign'),
    isGenerate: (got) => got.path.endsWith('/create'),
    signedOctets: (got) => Buffer.from(String(JSON.parse(got.body).value), 'base64url'),
    forbidden: { status: 403, body: { error: { code: 'Forbidden', message: 'Caller has no permission: hunter2' } } },
    revoke: revokeAll(double.issued),
    settings,
    environment: {},
    open: () => openProvider('azure-keyvault', settings, {}, clock.now),
    add: (name, wish) => double.chest.add(name, wish).name,
    addWrapping: (name, wish) => double.chest.addWrapping(name, wish).name,
    isUnwrap: (got) => got.path.endsWith('/unwrapkey'),
  }
}

async function google(): Promise<Subject> {
  const clock = testClock()
  const double = await startGoogle(clock.now)
  const file = double.serviceAccount()
  const settings = { keyRing: KEY_RING, endpoint: double.origin, credentialsFile: await testFile(file) }
  return {
    kind: 'google-kms',
    double,
    clock,
    secrets: () => [String(JSON.parse(file).private_key).split('\n')[1] ?? '', ...double.issued.keys()],
    algorithms: ['ES256', 'ES384', 'ES256K'],
    withSignature: (reply, signature) => ({ ...reply, signature }),
    isSign: (got) => got.path.endsWith(':asymmetricSign'),
    isGenerate: (got) => got.method === 'POST' && got.path.endsWith('/cryptoKeys'),
    signedOctets: (got) => Buffer.from(String(Object.values(JSON.parse(got.body).digest)[0]), 'base64'),
    forbidden: { status: 403, body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'Denied: hunter2' } } },
    revoke: revokeAll(double.issued),
    settings,
    environment: {},
    open: () => openProvider('google-kms', settings, {}, clock.now),
    add: (name, wish) => `${KEY_RING}/cryptoKeys/${double.chest.add(name, wish).name}/cryptoKeyVersions/1`,
    addWrapping: (name, wish) => double.chest.addWrapping(name, wish).name,
    isUnwrap: (got) => got.path.endsWith(':decrypt'),
  }
}

async function vault(): Promise<Subject> {
  const clock = testClock()
  const double = await startVault(clock.now)
  const settings = {
    address: double.origin,
    mount: 'signing',
    namespace: 'issuers',
    authentication: { method: 'approle', roleId: double.roleId, secretIdFile: await testFile(double.secretId) },
  }
  return {
    kind: 'vault-transit',
    double,
    clock,
    secrets: () => [double.secretId, ...double.issued.keys()],
    algorithms: ['ES256', 'ES384', 'EdDSA'],
    withSignature: (reply, signature) => ({ ...reply, data: { signature: `vault:v1:${signature}` } }),
    isSign: (got) => got.path.startsWith('/v1/signing/sign/'),
    isGenerate: (got) => got.method === 'POST' && got.path.startsWith('/v1/signing/keys/'),
    signedOctets: (got) => Buffer.from(String(JSON.parse(got.body).input), 'base64'),
    forbidden: { status: 403, body: { errors: ['permission denied: hunter2'] } },
    revoke: revokeAll(double.issued),
    settings,
    environment: {},
    open: () => openProvider('vault-transit', settings, {}, clock.now),
    add: (name, wish) => `${double.chest.add(name, wish).name}/1`,
    addWrapping: (name, wish) => double.chest.addWrapping(name, wish).name,
    isUnwrap: (got) => got.path.startsWith('/v1/signing/decrypt/'),
  }
}

/** The environment of a service whose key provider `hsm` is a subject's. */
export async function environmentWith({
  kind,
  settings,
  environment,
}: Pick<Subject, 'kind' | 'settings' | 'environment'>) {
  return { ...environment, KEY_PROVIDERS: await testFile(JSON.stringify([{ name: 'hsm', kind, ...settings }])) }
}

/** All kinds that are spoken to over HTTP. */
export const SUBJECTS = {
  'aws-kms': aws,
  'azure-keyvault': azure,
  'google-kms': google,
  'vault-transit': vault,
} as const
