import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ProviderRefusal, type ProviderTools } from '../provider.js'
import type { Pkcs11Settings } from './settings.js'

const COMMAND_MS = 10_000
/** A PIN is a few octets long. */
const MOST_OCTETS = 1_024

async function textOf(
  { pinFile, pinVariable, pinCommand }: Pkcs11Settings,
  environment: ProviderTools['environment'],
): Promise<string> {
  if (pinFile !== undefined) {
    try {
      return await readFile(pinFile, 'utf8')
    } catch {
      throw new ProviderRefusal('the file of pinFile cannot be read.')
    }
  }
  if (pinVariable !== undefined) {
    const value = environment[pinVariable]
    if (value === undefined) throw new ProviderRefusal(`the variable ${pinVariable} of pinVariable is not set.`)
    return value
  }
  const [command = '', ...args] = pinCommand ?? []
  try {
    const options = { timeout: COMMAND_MS, maxBuffer: MOST_OCTETS, env: { ...environment } }
    return (await promisify(execFile)(command, args, options)).stdout
  } catch {
    // The error holds the output of the command, and so perhaps the PIN.
    throw new ProviderRefusal('the command of pinCommand failed.')
  }
}

/**
 * Reads the PIN of the token from a file, a variable or the output of a command. A line break at the end is left out.
 *
 * @throws {ProviderRefusal} that never holds the PIN.
 */
export async function readPin(settings: Pkcs11Settings, environment: ProviderTools['environment']): Promise<string> {
  const pin = (await textOf(settings, environment)).replace(/\r?\n$/, '')
  if (pin === '' || Buffer.byteLength(pin) > MOST_OCTETS) throw new ProviderRefusal('the PIN is empty or too long.')
  return pin
}
