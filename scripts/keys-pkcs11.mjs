import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * `npm run keys:pkcs11`: installs and builds the native package for key providers of the kind pkcs11. It needs a compiler
 * for C++, make and Python. The ordinary installation needs none of them.
 */
const folder = join(dirname(fileURLToPath(import.meta.url)), 'keys-pkcs11')
const prefix = dirname(dirname(process.execPath))
// Node's own headers make a download unnecessary.
const headers = existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? { npm_config_nodedir: prefix } : {}
const { status } = spawnSync('npm', ['ci', '--foreground-scripts', '--no-audit', '--no-fund'], {
  cwd: folder,
  stdio: 'inherit',
  env: { ...headers, ...process.env },
})
process.exitCode = status ?? 1
