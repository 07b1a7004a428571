import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { keyProviders } from '../../server/config/key-providers.js'

const directory = mkdtempSync(join(tmpdir(), 'key-providers-'))
const file = join(directory, 'providers.json')
afterAll(() => rmSync(directory, { recursive: true }))

/** Reads a file with this content: the entries, or the message of the refusal. */
function read(content: unknown) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  const parsed = keyProviders.safeParse(file)
  return parsed.success ? parsed.data : parsed.error.issues.map(({ message }) => message).join()
}

const HSM = { name: 'hsm', kind: 'pkcs11' }
const refused = (reason: string) => `must name a JSON file of key providers: ${reason}.`

describe('KEY_PROVIDERS', () => {
  it('has limits by default, and keeps the members of the kind apart', () => {
    expect(read([{ ...HSM, module: '/m.so' }])).toEqual([
      { ...HSM, concurrency: 8, queue: 1_000, timeoutSeconds: 5, settings: { module: '/m.so' } },
    ])
  })

  it.each([
    ['[', 'it is no JSON'],
    [[{ ...HSM, name: 'HSM 1' }], '0.name must be 1 to 32 lower case letters, digits or hyphens'],
    [[{ ...HSM, name: 'database' }], '0.name must not be database'],
    [[HSM, HSM], 'each name must stand there once'],
    [[{ ...HSM, kind: 'usb' }], '0.kind must be pkcs11, aws-kms, azure-keyvault, google-kms or vault-transit'],
    [Array.from({ length: 17 }, (_, at) => ({ ...HSM, name: `hsm-${at}` })), 'must not list more than 16 providers'],
  ])('%j is refused by name', (content, reason) => {
    expect(read(content)).toBe(refused(reason))
  })

  it.each([
    { concurrency: 0 },
    { concurrency: 257 },
    { queue: -1 },
    { queue: 10_001 },
    { timeoutSeconds: 0 },
    { timeoutSeconds: 61 },
  ])('%j is outside its limits', (members) => {
    expect(read([{ ...HSM, ...members }])).toContain(`0.${Object.keys(members)[0]} `)
  })
})
