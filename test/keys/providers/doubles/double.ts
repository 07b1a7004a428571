import { execFile } from 'node:child_process'
import { createCipheriv, createDecipheriv, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeServer, listenLocally } from '../../../support/local-server.js'

/** A request that a double got, with its whole body. */
export interface Got {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What a double does instead of its protocol. */
export type Fault = (got: Got, response: ServerResponse) => Reply | 'handled' | undefined

/** The kind of a key, as a test asks for it. */
export interface KeyWish {
  readonly curve?: 'P-256' | 'P-384' | 'P-521' | 'secp256k1' | 'Ed25519'
  readonly maySign?: boolean
  readonly enabled?: boolean
  readonly exportable?: boolean
  readonly inHardware?: boolean
}

export interface StoredKey extends Required<KeyWish> {
  readonly name: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** The kind of a wrapping key, as a test asks for it. */
export interface WrappingWish {
  readonly mayWrap?: boolean
  readonly enabled?: boolean
  readonly exportable?: boolean
  readonly inHardware?: boolean
  /** An RSA key, where a kind has such wrapping keys. */
  readonly isRsa?: boolean
}

export interface StoredWrappingKey extends Required<WrappingWish> {
  readonly name: string
  readonly secret: Buffer
  readonly rsa: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | undefined
}

/** Nonce, ciphertext and tag of AES-256-GCM. */
export function gcmSealed(key: Buffer, plaintext: Buffer, data: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(data))
  const text = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([nonce, text, cipher.getAuthTag()])
}

/** Undefined if the tag is wrong. */
export function gcmOpened(key: Buffer, sealed: Buffer, data: string): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(data))
    decipher.setAuthTag(sealed.subarray(-16))
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
  } catch {
    return undefined
  }
}

/** A key store of a test: real keys, and ECDSA over a given hash by openssl. */
export interface KeyChest {
  readonly keys: Map<string, StoredKey>
  add(name: string, wish?: KeyWish): StoredKey
  change(name: string, wish: KeyWish): void
  /** Whether signatures are over other hashes than the given ones. Their form stays right. */
  lying: boolean
  /** The signature over a hash, in DER. */
  signHash(key: StoredKey, hash: Buffer): Promise<Buffer>
  readonly wrapping: Map<string, StoredWrappingKey>
  addWrapping(name: string, wish?: WrappingWish): StoredWrappingKey
  /** The signature PS256 over a hash. */
  signHashByRsa(key: StoredWrappingKey, hash: Buffer): Promise<Buffer>
}

export interface DoubleServer {
  readonly origin: string
  readonly got: Got[]
  /** Faults of the API and of the service that gives credentials. */
  readonly faults: { api?: Fault | undefined; credentials?: Fault | undefined }
  readonly chest: KeyChest
  close(): Promise<void>
}

/** What a protocol answers. `isCredentials`: whether the request asks for a credential. */
export interface Protocol {
  isCredentials(got: Got): boolean
  answer(got: Got): Promise<Reply> | Reply
}

const MAX_BODY = 1_000_000

function openssl(args: readonly string[], input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile('openssl', args, { encoding: 'buffer' }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    )
    child.stdin?.end(input)
  })
}

function chestIn(folder: string): KeyChest {
  const keys = new Map<string, StoredKey>()
  const wrapping = new Map<string, StoredWrappingKey>()
  const fileOf = (name: string) => join(folder, `${Buffer.from(name).toString('hex')}.pem`)
  const chest: KeyChest = {
    keys,
    lying: false,
    add(name, wish = {}) {
      const { curve = 'P-256', maySign = true, enabled = true, exportable = false, inHardware = true } = wish
      const pair =
        curve === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: curve })
      const key = { name, curve, maySign, enabled, exportable, inHardware, ...pair }
      keys.set(name, key)
      writeFileSync(fileOf(name), key.privateKey.export({ format: 'pem', type: 'pkcs8' }))
      return key
    },
    change(name, wish) {
      const key = keys.get(name)
      if (key === undefined) throw new Error(`There is no key ${name}.`)
      keys.set(name, { ...key, ...wish })
    },
    wrapping,
    addWrapping(name, wish = {}) {
      const { mayWrap = true, enabled = true, exportable = false, inHardware = true, isRsa = false } = wish
      const rsa = isRsa ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : undefined
      if (rsa !== undefined) writeFileSync(fileOf(name), rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }))
      const key = { name, mayWrap, enabled, exportable, inHardware, isRsa, rsa, secret: randomBytes(32) }
      wrapping.set(name, key)
      return key
    },
    signHashByRsa({ name }, hash) {
      const options = ['digest:sha256', 'rsa_padding_mode:pss', 'rsa_pss_saltlen:32', 'rsa_mgf1_md:sha256']
      const args = ['pkeyutl', '-sign', '-inkey', fileOf(name), ...options.flatMap((option) => ['-pkeyopt', option])]
      return openssl(args, hash)
    },
    signHash: ({ name }, hash) =>
      openssl(
        ['pkeyutl', '-sign', '-inkey', fileOf(name)],
        chest.lying ? Buffer.from(hash.map((octet) => octet ^ 1)) : hash,
      ),
  }
  return chest
}

/** Starts an HTTP server that speaks the protocol of a provider, as the public documentation describes it. */
export async function startDouble(
  protocolOf: (server: { readonly chest: KeyChest; origin: () => string }) => Protocol,
): Promise<DoubleServer> {
  const folder = await mkdtemp(join(tmpdir(), 'credence-double-'))
  const chest = chestIn(folder)
  const got: Got[] = []
  const faults: DoubleServer['faults'] = {}
  let origin = ''
  const protocol = protocolOf({ chest, origin: () => origin })

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY) request.destroy()
      else chunks.push(chunk)
    })
    request.on('end', async () => {
      const url = new URL(request.url ?? '/', 'http://double')
      const one: Got = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }
      got.push(one)
      const fault = protocol.isCredentials(one) ? faults.credentials : faults.api
      try {
        const reply = fault?.(one, response) ?? (await protocol.answer(one))
        if (reply === 'handled') return
        const isText = typeof reply.body === 'string'
        response.writeHead(reply.status, {
          'content-type': isText ? 'text/plain' : 'application/json',
          ...reply.headers,
        })
        response.end(isText ? reply.body : JSON.stringify(reply.body))
      } catch (error) {
        response.writeHead(599).end(String(error))
      }
    })
  })
  origin = await listenLocally(server)
  return {
    get origin() {
      return origin
    },
    got,
    faults,
    chest,
    async close() {
      await closeServer(server)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The value of a JSON body. */
export const jsonOf = (got: Got): Record<string, unknown> => JSON.parse(got.body) as Record<string, unknown>

/** Octets of standard base64 with padding; throws for any other text. */
export function strictBase64(value: unknown): Buffer {
  const octets = Buffer.from(String(value), 'base64')
  if (typeof value !== 'string' || octets.toString('base64') !== value) throw new Error('This is no base64.')
  return octets
}
