import cluster, { type Worker } from 'node:cluster'
import type { KeyRing } from '../keys/envelope/open.js'

/** The key-encryption keys, on their way between the primary process and a worker. The channel is a socket of both processes only. */
interface KeysMessage {
  readonly keyEncryptionKeys: readonly string[]
}

const isKeys = (message: unknown): message is KeysMessage =>
  typeof message === 'object' &&
  message !== null &&
  'keyEncryptionKeys' in message &&
  Array.isArray(message.keyEncryptionKeys)

const messageOf = (keys: readonly Uint8Array[]): KeysMessage => ({
  keyEncryptionKeys: keys.map((key) => Buffer.from(key).toString('base64url')),
})

const keysOf = ({ keyEncryptionKeys }: KeysMessage): KeyRing =>
  keyEncryptionKeys.map((key) => new Uint8Array(Buffer.from(key, 'base64url')))

/**
 * Called in the primary process: gives each worker the key-encryption keys. So a new worker starts while the key provider is away. The
 * primary process learns changed keys from its workers.
 */
export function giveKeysToWorkers(keys: KeyRing): void {
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (!isKeys(message)) return
    if (message.keyEncryptionKeys.length === 0) worker.process.send?.(messageOf(keys), undefined, undefined, () => {})
    else keys.splice(0, keys.length, ...keysOf(message))
  })
}

/** Called in a worker: asks the primary process for the key-encryption keys. */
export function keysOfPrimary(): Promise<KeyRing> {
  return new Promise((resolve) => {
    const receive = (message: unknown) => {
      if (!isKeys(message)) return
      process.off('message', receive)
      resolve(keysOf(message))
    }
    process.on('message', receive)
    tellKeysToPrimary([])
  })
}

/** Called in a worker: reports changed key-encryption keys. Without keys, it is the question for them. */
export function tellKeysToPrimary(keys: readonly Uint8Array[]): void {
  process.send?.(messageOf(keys), undefined, undefined, () => {})
}
