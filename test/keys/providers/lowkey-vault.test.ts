import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect } from 'node:tls'
import { compactVerify, importJWK, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../scripts/postgres/free-port.js'
import { openProvider } from './subjects.js'

// Lowkey Vault is an emulator of Azure Key Vault by other people. It needs Java and its jar (version 7 and later).
const { LOWKEY_VAULT_JAR: jar, JAVA_HOME } = process.env
const skipped =
  jar === undefined || !existsSync(jar)
    ? 'LOWKEY_VAULT_JAR names no file, so Azure Key Vault is tried against the double alone'
    : undefined

const RESOURCE = 'https://vault.azure.net'
const soon = () => AbortSignal.timeout(60_000)

/** The certificate of the emulator, which nobody else has signed. */
function certificateOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: 'localhost', port, rejectUnauthorized: false }, () => {
      const { raw } = socket.getPeerCertificate()
      socket.destroy()
      resolve(new X509Certificate(raw).toString())
    })
    socket.once('error', reject)
  })
}

async function untilUp(port: number): Promise<string> {
  for (let tries = 0; tries < 300; tries += 1) {
    const pem = await certificateOf(port).catch(() => undefined)
    if (pem !== undefined) return pem
    await setTimeout(300)
  }
  throw new Error('Lowkey Vault does not answer.')
}

describe.skipIf(skipped !== undefined)(`Lowkey Vault${skipped === undefined ? '' : ` (left out: ${skipped})`}`, () => {
  let folder: string
  let caFile: string
  let vaultUrl: string
  let environment: Readonly<Record<string, string>>
  let stop = async () => {}

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'credence-lowkey-'))
    const [port, tokenPort] = [await freePort(), await freePort()]
    const java = JAVA_HOME === undefined ? 'java' : join(JAVA_HOME, 'bin/java')
    const ports = [`--server.port=${port}`, `--app.token.port=${tokenPort}`]
    const child = spawn(java, ['-Xmx300m', '-jar', jar ?? '', ...ports], { stdio: 'ignore', cwd: folder })
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    stop = async () => {
      child.kill()
      await exited
    }
    caFile = join(folder, 'ca.pem')
    await writeFile(caFile, await untilUp(port))
    vaultUrl = `https://localhost:${port}`
    environment = {
      IDENTITY_ENDPOINT: `http://localhost:${tokenPort}/metadata/identity/oauth2/token`,
      IDENTITY_HEADER: 'header',
    }
  })

  afterAll(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })

  const open = (hsm: boolean) =>
    openProvider('azure-keyvault', { vaultUrl, hsm, resource: RESOURCE }, environment, () => new Date(), {}, caFile)

  /** Calls the emulator as its operator. @returns the name and version of the key in the answer */
  async function operate(method: string, path: string, body: object): Promise<string> {
    const { Agent, fetch } = await import('undici')
    const token = await fetch(`${environment.IDENTITY_ENDPOINT}?resource=${encodeURIComponent(RESOURCE)}`)
    const { access_token } = (await token.json()) as { access_token: string }
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const url = `${vaultUrl}/${path}?api-version=7.4`
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body), dispatcher })
    const text = await answer.text()
    expect(answer.status, text).toBe(200)
    // The address of the key ends with its name and version.
    return String(JSON.parse(text).key.kid).split('/').slice(-2).join('/')
  }

  test.each([true, false])('keys are made, found and sign (hsm: %s); jose accepts the signatures', async (hsm) => {
    const provider = await open(hsm)
    await provider.check(soon())
    for (const alg of ['ES256', 'ES384', 'ES256K'] as const) {
      const key = await provider.generate(`issuer-${alg.toLowerCase()}-${hsm}`, alg, soon())
      expect(key.reference).toMatch(/^issuer-[a-z0-9-]+\/[0-9a-f]{32}$/)
      expect(await provider.find(key.reference, soon())).toEqual(key)
      expect(await provider.find(key.reference.replace(/\/.*/, ''), soon())).toEqual(key)
      const input = [{ alg }, { given_name: 'Maria' }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      const signature = await provider.sign(key, Buffer.from(input), soon())
      // jose has no ES256K.
      if (alg === 'ES256K') continue
      const compact = `${input}.${Buffer.from(signature).toString('base64url')}`
      const { payload } = await compactVerify(compact, await importJWK(key.publicJwk as JWK, alg))
      expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ given_name: 'Maria' })
    }
  })

  test('a record signs with its version after the key was rotated inside the vault', async () => {
    const provider = await open(true)
    const first = await provider.generate('rotated', 'ES256', soon())
    const second = await provider.generate('rotated', 'ES256', soon())
    expect(second.reference).not.toBe(first.reference)
    expect(await provider.find('rotated', soon())).toEqual(second)
    expect(await provider.find(first.reference, soon())).toEqual(first)
    const data = Buffer.from('eyJhbGciOiJFUzI1NiJ9.e30')
    const signature = Buffer.from(await provider.sign(first, data, soon())).toString('base64url')
    await compactVerify(`${data}.${signature}`, await importJWK(first.publicJwk as JWK, 'ES256'))
  })

  test('a disabled key, a key that may not sign, a key on P-521, an RSA key and an unknown key are refused', async () => {
    const provider = await open(false)
    const make = (name: string, members: object) =>
      operate('POST', `keys/${name}/create`, { kty: 'EC', crv: 'P-256', key_ops: ['sign', 'verify'], ...members })
    const off = await make('off', { attributes: { enabled: false } })
    // The emulator does not show a key that was made disabled.
    await expect(provider.find(off, soon())).rejects.toThrow(/is not enabled|status 404/)
    await make('checks', { key_ops: ['verify'] })
    await expect(provider.find('checks', soon())).rejects.toThrow('may not sign')
    await make('wide', { crv: 'P-521' })
    await expect(provider.find('wide', soon())).rejects.toThrow('P-521')
    await make('old', { kty: 'RSA', crv: undefined, key_size: 2048 })
    await expect(provider.find('old', soon())).rejects.toThrow('is of type RSA, and must be of type EC')
    await make('soft', {})
    await expect((await open(true)).find('soft', soon())).rejects.toThrow('lies in no hardware module')
    await expect(provider.find('absent', soon())).rejects.toThrow('status 404')
  })

  test('a request without a good token is refused', async () => {
    const wrong = { ...environment, IDENTITY_ENDPOINT: `${environment.IDENTITY_ENDPOINT}/absent` }
    const provider = await openProvider(
      'azure-keyvault',
      { vaultUrl, resource: RESOURCE },
      wrong,
      () => new Date(),
      {},
      caFile,
    )
    await expect(provider.check(soon())).rejects.toThrow(/got no token by managed-identity|no JSON object/)
  })
})
