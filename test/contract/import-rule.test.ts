import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// ARCHITECTURE.md, "The import rule".
const REFUSED = [
  ['server/protocol/jose/store.ts', "import '../../issuer/schemas/store.js'", 'protocol/ stands on its own'],
  ['server/protocol/jose/log.ts', "import '../../log/log.js'", 'protocol/ stands on its own'],
  ['server/protocol/jose/rules.ts', "import '../../config/rules.js'", 'protocol/ stands on its own'],
  ['server/formats/jwt-vc-json/wired.ts', "import '../../wiring/platform.js'", 'formats/ on it alone'],
  ['server/protocol/jose/express.ts', "import 'express'", 'protocol/ and formats/ are pure'],
  ['server/protocol/jose/formats.ts', "import '../../formats/registry.js'", 'protocol/ stands on its own'],
  ['server/formats/jwt-vc-json/sign.ts', "import '../../issuer/issuance/sign.js'", 'formats/ on it alone'],
  ['server/verifier/verify/http.ts', "import '../../http/rest.js'", 'Features know nothing of HTTP'],
  ['server/verifier/verify/prisma.ts', "import '@prisma/client'", 'know Prisma'],
  [
    'server/verifier/verify/router.ts',
    "import '../../issuer/offerings/offerings.router.js'",
    'routers meet in router.ts',
  ],
  ['server/verifier/verify/environment.ts', 'export const x = process.env.X', 'noProcessEnv'],
  ['server/agent/circle.ts', "import type { B } from './circle-back.js'\nexport type A = B", 'noImportCycles'],
  ['server/agent/circle-back.ts', "import type { A } from './circle.js'\nexport type B = A", 'noImportCycles'],
  ['server/main.ts', "import 'vitest'", 'noUndeclaredDependencies'],
  ['client/deps.ts', "import '../server/wiring/service.js'", 'AppRouter alone'],
  ['client/console/screens/deps.ts', "import '../../../server/wiring/service.js'", 'by its client alone'],
  // This case imports modules of Node.
  [
    'client/console/screens/compile.ts',
    "import '../../../server/protocol/json-schema/compile.js'",
    'by its client alone',
  ],
] as const
const CONSOLE = "import '../../../server/protocol/json-schema/form.js'\n"
const DOWNWARD =
  "import '../../config/config.js'\nimport '../../protocol/jose/jws.js'\nimport '../../formats/format.js'\n"

let directory: string
let said: string

/** Makes a project that has only these files and the rules of the linter. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'credence-lint-'))
  for (const name of ['biome.json', 'package.json']) await copyFile(name, join(directory, name))
  const fine = [
    ['server/verifier/verify/fine.ts', DOWNWARD],
    ['client/console/screens/fine.ts', CONSOLE],
  ] as const
  for (const [path, text] of [...REFUSED, ...fine]) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), `${text}\n`)
  }
  const biome = resolve('node_modules/@biomejs/biome/bin/biome')
  const { stdout, stderr } = spawnSync(process.execPath, [biome, 'lint', '--colors=off'], {
    cwd: directory,
    encoding: 'utf8',
  })
  said = stdout + stderr
})
afterAll(() => rm(directory, { recursive: true }))

describe('npm run lint enforces the import rule', () => {
  it.each(REFUSED)('%s: %s', (path, _, reason) => {
    const about = said.split(/^(?=\S+:\d+:\d+ lint\/)/m).filter((each) => each.startsWith(`${path}:`))
    expect(about.join('')).toContain(reason)
  })

  it('and allows downward imports', () => {
    expect(said).not.toContain('fine.ts')
  })
})
