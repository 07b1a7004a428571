import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AnyProcedure } from '@trpc/server'
import { contractRouters } from '../../server/router.js'
import { programOf } from '../launch/run-program.js'
import { apiText, type Contracted } from './api-text.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const client = join(root, 'client')

/** Declarations that the package's entry point exports. All other declarations are internal. */
const DECLARED = ['index', 'api', 'calls', 'request', 'router', 'webhook-events', 'webhooks']

/** Every procedure of `/trpc`, in the order of `server/router.ts`. */
function contracted(): Contracted[] {
  // Each procedure of a typed router has a different type, and the type of `_def` does not declare inputs and
  // contracts.
  return Object.entries<AnyProcedure>(contractRouters().appRouter._def.procedures as never).map(([name, { _def }]) => {
    const { type, meta, inputs, output } = _def as unknown as Omit<Contracted, 'name' | 'input'> & { inputs: never[] }
    const [input] = inputs
    if (input === undefined) throw new Error(`${name} has no input.`)
    return { name, type, meta, input, output }
  })
}

/** Compiles the client, with its types written out, to client/dist. */
function build(): void {
  const dist = join(client, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const directory = mkdtempSync(join(client, '.build-'))
  try {
    const sources = readdirSync(client).filter((name) => name.endsWith('.ts'))
    for (const name of sources) copyFileSync(join(client, name), join(directory, name))
    writeFileSync(join(directory, 'api.ts'), apiText(contracted()))
    const compilerOptions = { rootDir: '.', outDir: './dist', declaration: true, noEmit: false }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    execFileSync(process.execPath, [programOf('typescript', 'tsc'), '-p', directory], { stdio: 'inherit' })
    cpSync(join(directory, 'dist'), dist, { recursive: true })
  } finally {
    rmSync(directory, { recursive: true })
  }
  const inside = readdirSync(dist).filter((name) => name.endsWith('.d.ts') && !DECLARED.includes(name.slice(0, -5)))
  for (const name of inside) rmSync(join(dist, name))
  copyFileSync(join(root, 'LICENSE'), join(client, 'LICENSE'))
}

build()
