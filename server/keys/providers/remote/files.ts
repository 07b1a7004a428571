import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { ProviderRefusal } from '../provider.js'

/** The limit for a file with a token or a secret. */
const MAX_BYTES = 65_536

const unreadable = (path: string, what: string) => new ProviderRefusal(`The file ${path} with ${what} cannot be read.`)

/**
 * Reads a secret from a file, without white space around it. Files of tokens change while the service runs, so each use
 * reads the file again.
 *
 * @param what names the secret in messages, such as `the token of Vault`
 * @throws {ProviderRefusal} if the file cannot be read, is empty, or is too long
 */
export async function secretIn(path: string, what: string): Promise<string> {
  const file = await open(path, 'r').catch(() => {
    throw unreadable(path, what)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0)
    return usable(buffer.subarray(0, bytesRead), path, what)
  } catch (error) {
    throw error instanceof ProviderRefusal ? error : unreadable(path, what)
  } finally {
    await file.close()
  }
}

/** Reads a file of settings at the start. @throws {ProviderRefusal} like {@link secretIn} */
export function settingsIn(path: string, what: string): string {
  try {
    return usable(readFileSync(path), path, what)
  } catch (error) {
    throw error instanceof ProviderRefusal ? error : unreadable(path, what)
  }
}

function usable(bytes: Buffer, path: string, what: string): string {
  if (bytes.length > MAX_BYTES)
    throw new ProviderRefusal(`The file ${path} with ${what} has more than ${MAX_BYTES} bytes.`)
  const text = bytes.toString('utf8').trim()
  if (text === '') throw new ProviderRefusal(`The file ${path} with ${what} is empty.`)
  return text
}
