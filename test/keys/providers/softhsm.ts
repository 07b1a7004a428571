import { execFile } from 'node:child_process'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadLibrary, packageDirectory } from '../../../server/keys/providers/pkcs11/library.js'

const run = promisify(execFile)

const MODULES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
]

const found = MODULES.find((path) => existsSync(path))

/** Why the tests with a token are left out; undefined if they run. */
export const WITHOUT_TOKEN =
  found === undefined
    ? 'softhsm2 is not installed'
    : !existsSync('/usr/bin/pkcs11-tool')
      ? 'opensc is not installed'
      : loadLibrary() === undefined
        ? 'npm run keys:pkcs11 was not run'
        : undefined

export const MODULE = found ?? ''
export const PIN = 'pin-of-this-token'

export type Token = Awaited<ReturnType<typeof makeToken>>

/** A new token of SoftHSM in a folder of its own, and a file for KEY_PROVIDERS that names it `hsm`. */
export async function makeToken(members: Readonly<Record<string, unknown>> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'token-'))
  const tokens = join(directory, 'tokens')
  await mkdir(tokens)
  const configuration = join(directory, 'softhsm2.conf')
  await writeFile(configuration, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`)
  const softhsm = { ...process.env, SOFTHSM2_CONF: configuration }
  const init = ['--init-token', '--free', '--label', 'credence', '--so-pin', '5678', '--pin', PIN]
  await run('softhsm2-util', init, { env: softhsm })
  const pinFile = join(directory, 'pin')
  await writeFile(pinFile, `${PIN}\n`)
  const hsm = { name: 'hsm', kind: 'pkcs11', module: MODULE, tokenLabel: 'credence', pinFile, timeoutSeconds: 30 }
  let files = 0
  /** A file for KEY_PROVIDERS. */
  const providersFile = async (...entries: readonly unknown[]): Promise<string> => {
    files += 1
    const path = join(directory, `providers-${files}.json`)
    await writeFile(path, JSON.stringify(entries))
    return path
  }
  const tool = async (...args: readonly string[]): Promise<string> =>
    (await run('pkcs11-tool', ['--module', MODULE, '--login', '--pin', PIN, ...args], { env: softhsm })).stdout
  return {
    directory,
    pinFile,
    hsm,
    providersFile,
    env: { SOFTHSM2_CONF: configuration, KEY_PROVIDERS: await providersFile({ ...hsm, ...members }) },
    /** Runs pkcs11-tool of OpenSC, which knows nothing of this service. */
    tool,
    /** Makes a P-256 key with pkcs11-tool. @param id in hexadecimal @returns its public key */
    newKey: async (label: string, id: string): Promise<KeyObject> => {
      await tool('--keypairgen', '--key-type', 'EC:prime256v1', '--label', label, '--id', id, '--usage-sign')
      const der = join(directory, `${label}.der`)
      await tool('--read-object', '--type', 'pubkey', '--id', id, '--output-file', der)
      return createPublicKey({ key: await readFile(der), format: 'der', type: 'spki' })
    },
    /** Runs softhsm2-util. */
    util: async (...args: readonly string[]): Promise<string> =>
      (await run('softhsm2-util', [...args], { env: softhsm })).stdout,
    /** Makes a P-256 key with other attributes, by number, in its private part. Command line tools cannot set them. */
    makeKey: async (label: string, attributes: Readonly<Record<string, boolean>>): Promise<void> => {
      const library = JSON.stringify(join(packageDirectory(), 'node_modules', 'pkcs11js'))
      const script = `
        const p = require(${library}); const m = new p.PKCS11()
        m.load(${JSON.stringify(MODULE)}); m.C_Initialize()
        const slot = m.C_GetSlotList(true).find((s) => m.C_GetTokenInfo(s).label.trim() === 'credence')
        const s = m.C_OpenSession(slot, p.CKF_SERIAL_SESSION | p.CKF_RW_SESSION)
        m.C_Login(s, p.CKU_USER, ${JSON.stringify(PIN)})
        const own = Object.entries(${JSON.stringify(attributes)}).map(([type, value]) => ({ type: Number(type), value }))
        const common = [{ type: p.CKA_TOKEN, value: true }, { type: p.CKA_LABEL, value: ${JSON.stringify(label)} },
          { type: p.CKA_ID, value: Buffer.from(${JSON.stringify(label)}) }]
        const usual = [{ type: p.CKA_SENSITIVE, value: true }, { type: p.CKA_EXTRACTABLE, value: false },
          { type: p.CKA_SIGN, value: true }].filter(({ type }) => own.every((one) => one.type !== type))
        m.C_GenerateKeyPair(s, { mechanism: p.CKM_EC_KEY_PAIR_GEN },
          [...common, { type: p.CKA_EC_PARAMS, value: Buffer.from('06082a8648ce3d030107', 'hex') }],
          [...common, { type: p.CKA_PRIVATE, value: true }, ...usual, ...own])`
      await run(process.execPath, ['-e', script], { env: softhsm })
    },
    takeAway: () => rename(tokens, `${tokens}-away`),
    bringBack: () => rename(`${tokens}-away`, tokens),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
