import { execFile, spawn } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { compactVerify, importJWK, type JWK } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenLocally } from '../../support/local-server.js'
import { environmentWith, openProvider, testFile } from './subjects.js'
import { assertWholeLife } from './whole-life.js'

const run = promisify(execFile)
const soon = () => AbortSignal.timeout(60_000)

let folder: string
let origin: string | undefined
let whySkipped = ''
let stop = async () => {}

/** The program `moto_server`, from the machine or from a fresh environment of Python. */
async function motoServer(): Promise<string> {
  const installed = await run('moto_server', ['--help']).then(
    () => true,
    () => false,
  )
  if (installed) return 'moto_server'
  await run('python3', ['-m', 'venv', folder])
  await run(
    join(folder, 'bin/pip'),
    ['install', '--quiet', '--retries', '0', '--timeout', '15', 'moto[server]>=5,<6'],
    { timeout: 300_000 },
  )
  return join(folder, 'bin/moto_server')
}

/** Waits until the server answers. Python needs seconds to start on a busy machine. */
async function answers(address: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const isUp = await fetch(`${address}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await setTimeout(300)
  }
  throw new Error('moto_server does not answer.')
}

async function freePort(): Promise<string> {
  const server = createServer()
  const { port } = new URL(await listenLocally(server))
  await new Promise((resolve) => server.close(resolve))
  return port
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credence-moto-'))
  try {
    const [program, port] = [await motoServer(), await freePort()]
    const child = spawn(program, ['-H', '127.0.0.1', '-p', port], { stdio: 'ignore', cwd: folder })
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    stop = async () => {
      child.kill()
      await exited
    }
    const address = `http://127.0.0.1:${port}`
    await answers(address)
    origin = address
  } catch (error) {
    whySkipped = `moto cannot be started, so AWS KMS is tried against the double alone: ${error}`
  }
}, 420_000)

afterAll(async () => {
  await stop()
  await rm(folder, { recursive: true, force: true })
})

// moto does not check signatures of requests, and hashes a DIGEST a second time. So the test sends the message itself.
const SETTINGS = { region: 'eu-central-1', message: 'raw' } as const
const KEYS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }

test('moto: keys are made, found and sign; jose accepts the signatures', async (context) => {
  if (origin === undefined) return context.skip(whySkipped)
  const provider = await openProvider('aws-kms', { ...SETTINGS, endpoint: origin }, KEYS, () => new Date())
  await provider.check(soon())
  for (const alg of ['ES256', 'ES384'] as const) {
    const key = await provider.generate(`issuer-${alg.toLowerCase()}`, alg, soon())
    expect(key.reference).toMatch(/^arn:aws:kms:eu-central-1:\d{12}:key\//)
    expect(await provider.find(key.reference, soon())).toEqual(key)
    expect(await provider.find(key.reference.replace(/^.*\//, ''), soon())).toEqual(key)
    const input = [{ alg }, { given_name: 'Maria' }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = await provider.sign(key, Buffer.from(input), soon())
    const { payload } = await compactVerify(
      `${input}.${Buffer.from(signature).toString('base64url')}`,
      await importJWK(key.publicJwk as JWK, alg),
    )
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ given_name: 'Maria' })
  }
})

test('moto: a service issues, presents and revokes with its keys in KMS', async (context) => {
  if (origin === undefined) return context.skip(whySkipped)
  const members = { ...SETTINGS, endpoint: origin }
  const provider = await openProvider('aws-kms', members, KEYS, () => new Date())
  const { reference, publicJwk } = await provider.generate('operator', 'ES256', soon())
  const env = await environmentWith({ kind: 'aws-kms', settings: members, environment: KEYS })
  const publicKey = createPublicKey({ key: publicJwk as JWK, format: 'jwk' })
  // KMS never gives a private key away, and moto does not either.
  await assertWholeLife({ env, reference, publicKey, privateKeys: () => [] })
})

test('moto: a disabled key, a key for encryption, a key on P-521 and an unknown key are refused', async (context) => {
  if (origin === undefined) return context.skip(whySkipped)
  const provider = await openProvider('aws-kms', { ...SETTINGS, endpoint: origin }, KEYS, () => new Date())
  const ask = async (operation: string, input: object) => {
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `TrentService.${operation}`,
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/kms/aws4_request, SignedHeaders=host, Signature=0',
    }
    const answer = await fetch(`${origin}/`, { method: 'POST', headers, body: JSON.stringify(input) })
    return (await answer.json().catch(() => ({}))) as { KeyMetadata: { Arn: string } }
  }
  const key = await provider.generate('payments', 'ES256', soon())
  await ask('DisableKey', { KeyId: key.reference.replace(/^.*\//, '') })
  await expect(provider.find(key.reference, soon())).rejects.toThrow('is not enabled: its KeyState is Disabled')
  const { KeyMetadata: encrypts } = await ask('CreateKey', { KeySpec: 'RSA_2048', KeyUsage: 'ENCRYPT_DECRYPT' })
  await expect(provider.find(encrypts.Arn, soon())).rejects.toThrow('may not sign')
  const { KeyMetadata: wide } = await ask('CreateKey', { KeySpec: 'ECC_NIST_P521', KeyUsage: 'SIGN_VERIFY' })
  await expect(provider.find(wide.Arn, soon())).rejects.toThrow('P-521')
  await expect(provider.find('11111111-2222-4333-8444-555555555555', soon())).rejects.toThrow('NotFoundException')
})

test('moto: credentials by web identity', async (context) => {
  if (origin === undefined) return context.skip(whySkipped)
  const environment = {
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/issuer',
    AWS_WEB_IDENTITY_TOKEN_FILE: await testFile('a token'),
  }
  const provider = await openProvider(
    'aws-kms',
    { ...SETTINGS, endpoint: origin, stsEndpoint: origin },
    environment,
    () => new Date(),
  )
  expect((await provider.generate('by-web-identity', 'ES256', soon())).alg).toBe('ES256')
})

test('moto: a key is wrapped for its place, moto unwraps it too, and an asymmetric key is refused', async (context) => {
  if (origin === undefined) return context.skip(whySkipped)
  const provider = await openProvider('aws-kms', { ...SETTINGS, endpoint: origin }, KEYS, () => new Date())
  const ask = async (operation: string, input: object) => {
    const authorization =
      'AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/kms/aws4_request, SignedHeaders=host, Signature=0'
    const type = 'application/x-amz-json-1.1'
    const headers = { 'content-type': type, 'x-amz-target': `TrentService.${operation}`, authorization }
    const answer = await fetch(`${origin}/`, { method: 'POST', headers, body: JSON.stringify(input) })
    return (await answer.json()) as { KeyMetadata: { Arn: string }; Plaintext: string }
  }
  const { KeyMetadata: made } = await ask('CreateKey', { KeySpec: 'SYMMETRIC_DEFAULT', KeyUsage: 'ENCRYPT_DECRYPT' })
  const key = new Uint8Array(32).fill(7)
  const wrapped = (await provider.wrap?.(made.Arn, key, 'envelope-key:a', soon())) ?? ''
  expect(Buffer.from((await provider.unwrap?.(made.Arn, wrapped, 'envelope-key:a', soon())) ?? [])).toEqual(
    Buffer.from(key),
  )
  await expect(provider.unwrap?.(made.Arn, wrapped, 'envelope-key:b', soon())).rejects.toThrow('InvalidCiphertext')
  const EncryptionContext = { 'credence:place': 'envelope-key:a' }
  const { Plaintext } = await ask('Decrypt', { CiphertextBlob: wrapped, EncryptionContext })
  expect(Plaintext).toBe(Buffer.from(key).toString('base64'))
  const { KeyMetadata: rsa } = await ask('CreateKey', { KeySpec: 'RSA_2048', KeyUsage: 'ENCRYPT_DECRYPT' })
  await expect(provider.wrap?.(rsa.Arn, key, 'envelope-key:a', soon())).rejects.toThrow('cannot wrap')
})
