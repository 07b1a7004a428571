import { readdir, readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { calledProcedures } from '../contract/procedures.js'
import { CLIENT_SECRET, startService } from '../support/service.js'
import { type Consumer, complaints, createConsumer, root } from './consumer.js'
import { hovers } from './hover.js'

const MAX_BUNDLE_BYTES = 25 * 1024

/** A first program with the client: every kind of call, and a refusal. */
const PROGRAM = `
import { type CredenceClient, type CredenceInputs, type CredenceOutputs, createCredenceClient, isCredenceError } from '@credence/client'

declare const process: { readonly env: Readonly<Record<string, string>> }
const { URL: url = '', TOKEN: accessToken, SECRET: clientSecret } = process.env
const credence: CredenceClient = createCredenceClient({ url, accessToken, clientSecret })

const { name }: CredenceOutputs['service']['version'] = await credence.service.version.query()
const input: CredenceInputs['offerings']['create'] = { credential_type: 'Receipt', credential_subject: { constructor: 'Atelier' } }
await credence.schemas.create.mutate({ name: 'Receipt', version: 1, schema: { type: 'object' } })
const offering = await credence.offerings.create.mutate(input)
const { vc } = await credence.offerings.claim.mutate({ id: offering.id })
const listed = await credence.offerings.list.query({ limit: 1 })
const query = [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'Receipt' } } }] }]
const { verificationSessionId: sessionId } = await credence.authorizationRequests.create.mutate({ query })
const state = await new Promise<string>((resolve, reject) => {
  const subscription = credence.verificationSessions.events.subscribe({ sessionId }, {
    onData: ({ data }) => {
      resolve(data.state)
      subscription.unsubscribe()
    },
    onError: reject,
  })
})
const refused = await credence.offerings.read.query({ id: 'unknown' }).catch((error: unknown) => error)
const status = isCredenceError(refused) ? refused.data?.httpStatus : undefined
// @ts-expect-error an unknown member
await credence.offerings.read.query({ id: offering.id, colour: 'red' }).catch(() => undefined)
// @ts-expect-error a missing input
await credence.offerings.read.query().catch(() => undefined)
// @ts-expect-error a procedure that does not exist
const unknown: unknown = credence.offerings.paint
console.log(JSON.stringify({ name, subject: vc.credentialSubject, listed: listed.length, state, status, unknown: typeof unknown }))
`

/** The same program with tRPC's own client. The type declarations of this client need a newer `lib` of TypeScript. */
const PLAIN = `
import { createTRPCClient, httpBatchLink } from '@trpc/client'
import type { AppRouter } from '@credence/client'
import superjson from 'superjson'

const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: '/trpc', transformer: superjson })] })
export const name: Promise<{ name: string }> = client.service.version.query()
export const ids: Promise<string[]> = client.offerings.list.query({ limit: 1 }).then((all) => all.map(({ id }) => id))
export const stop = client.verificationSessions.events.subscribe({ sessionId: '' }, { onData: ({ id, data }) => [id, data.state] })
`

const OUTCOME = {
  name: 'credence',
  subject: { constructor: 'Atelier' },
  listed: 1,
  state: 'RequestCreated',
  status: 404,
  unknown: 'function',
}

let consumer: Consumer

beforeAll(async () => {
  consumer = await createConsumer()
})
afterAll(() => consumer[Symbol.asyncDispose]())

const inPackage = (path: string) => readFile(join(consumer.directory, 'node_modules/@credence/client', path), 'utf8')

async function outcomeOf(program: string): Promise<unknown> {
  await using service = await startService()
  const token = await service.identityProvider.token('alice')
  return JSON.parse(await consumer.run(program, { URL: service.url, TOKEN: token, SECRET: CLIENT_SECRET }))
}

describe('the package', () => {
  it('is the built client with its licence and changelog, without code of the service', async () => {
    expect(consumer.files.filter((path) => !path.startsWith('package/dist/')).sort()).toEqual([
      'package/CHANGELOG.md',
      'package/LICENSE',
      'package/README.md',
      'package/package.json',
    ])
    const dist = await readdir(join(consumer.directory, 'node_modules/@credence/client/dist'))
    for (const file of dist) expect(await inPackage(`dist/${file}`)).not.toMatch(/\.\.\/|prisma|express|zod/i)
  })

  it('needs exactly the versions with which this project tests it', async () => {
    const manifest = JSON.parse(await inPackage('package.json'))
    expect(Object.keys(manifest.dependencies)).toEqual(['@trpc/client', 'eventsource', 'superjson'])
    expect(Object.keys(manifest.peerDependencies)).toEqual(['@trpc/server'])
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const tested = Object.entries<string>({ ...dependencies, ...devDependencies })
    expect(tested.map(([name, version]) => [name, `^${version}`])).toEqual(
      expect.arrayContaining(Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })),
    )
  })

  it('lists the changes of its version in its changelog', async () => {
    const { version } = JSON.parse(await inPackage('package.json'))
    expect(await inPackage('CHANGELOG.md')).toContain(`
## ${version}
`)
  })
})

describe('a strict project', () => {
  it('compiles and calls the service under nodenext', async () => {
    await consumer.write('program.ts', PROGRAM)
    const options = { module: 'nodenext', moduleResolution: 'nodenext' }
    expect(await consumer.compile(['program.ts'], options)).toBe('')
    expect(await outcomeOf('program.js')).toEqual(OUTCOME)
  })

  it('compiles under bundler resolution, and calls the service bundled', async () => {
    await consumer.write('bundled.ts', PROGRAM)
    const options = { module: 'esnext', moduleResolution: 'bundler', noEmit: true }
    expect(await consumer.compile(['bundled.ts'], options)).toBe('')
    const outfile = join(consumer.directory, 'bundle.mjs')
    await build({
      entryPoints: [join(consumer.directory, 'bundled.ts')],
      ...{ bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' },
    })
    expect(await outcomeOf('bundle.mjs')).toEqual(OUTCOME)
  })

  it('can use its router with tRPC’s own client', async () => {
    await consumer.write('plain.ts', PLAIN)
    const options = { module: 'nodenext', moduleResolution: 'nodenext', noEmit: true, lib: ['esnext', 'dom'] }
    expect(await consumer.compile(['plain.ts'], options)).toBe('')
  })
})

describe('the TypeScript of README.md, of the client’s README.md and of docs/', () => {
  it('compiles unchanged, each block as a module of its own', async () => {
    const pages = (await readdir(join(root, 'docs'), { recursive: true }))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`)
    const files: string[] = []
    for (const page of ['README.md', 'client/README.md', ...pages]) {
      const blocks = [
        ...(await readFile(join(root, page), 'utf8')).matchAll(/^ *```(?:ts|typescript)\n(.*?)^ *```$/gms),
      ]
      for (const [index, [, block = '']] of blocks.entries()) {
        const file = `${page.replaceAll(/\W/g, '-')}-${index}.ts`
        // `export {}` makes the block a module. Otherwise the block would share its names with other blocks.
        await consumer.write(file, `${block}export {}\n`)
        files.push(file)
      }
    }
    expect(files).toEqual(
      expect.arrayContaining(['README-md-0.ts', 'client-README-md-1.ts', 'docs-integrating-md-0.ts']),
    )
    const options = { module: 'nodenext', moduleResolution: 'nodenext', noEmit: true, lib: ['esnext', 'dom'] }
    expect(await consumer.compile(files, options)).toBe('')
  })
})

describe('an editor', () => {
  it('shows the contract’s description over every procedure', async () => {
    const declaration = "declare const credence: import('@credence/client').CredenceClient"
    const lines = [declaration, ...calledProcedures.map(({ name }) => `credence.${name}`)]
    await consumer.write('hover.ts', `${lines.join('\n')}\n`)
    const [, ...shown] = await hovers(consumer.directory, 'hover.ts')
    expect(shown).toEqual(
      calledProcedures.map(({ meta }) =>
        expect.stringContaining(`\`${meta?.openapi?.method} ${meta?.openapi?.path}\``),
      ),
    )
    for (const [index, { meta }] of calledProcedures.entries()) {
      expect(shown[index]).toContain(`${meta?.openapi?.summary}.`)
      expect(shown[index]).toContain(meta?.openapi?.description ?? '')
    }
  })
})

describe('the written types', () => {
  it('equal the types of the router of the service', async () => {
    const same = `
import type { AppRouter } from '${root}/server/router.js'
import type { CredenceInputs as I, CredenceOutputs as O } from '${root}/client/index.js'
import type { CredenceErrorShape, CredenceInputs, CredenceOutputs } from '@credence/client'

/** Removes readonly from a type, because only some of the types of filters have it. */
type Plain<T> = unknown extends T ? T
  : T extends Uint8Array ? T
  : T extends readonly (infer Element)[] ? Plain<Element>[]
  : T extends object ? { -readonly [Name in keyof T]: Plain<T[Name]> } : T
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Different<A, B> = { [R in keyof A & keyof B & string]: { [N in (keyof A[R] | keyof B[R]) & string]:
  N extends keyof A[R] & keyof B[R] ? Same<Plain<A[R][N]>, Plain<B[R][N]>> extends true ? never : \`\${R}.\${N}\` : \`\${R}.\${N}\`
}[(keyof A[R] | keyof B[R]) & string] }[keyof A & keyof B & string]
type None<T> = [T] extends [never] ? true : T

export const inputs: None<Different<I, CredenceInputs>> = true
export const outputs: None<Different<O, CredenceOutputs>> = true
export const routers: Same<keyof I, keyof CredenceInputs> = true
export const errors = (shape: AppRouter['_def']['_config']['$types']['errorShape']): CredenceErrorShape => shape
`
    await consumer.write('same.ts', same)
    const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')], noUnusedLocals: false }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['same.ts'], exclude: [] }
    expect(await complaints(consumer.directory, config)).toBe('')
  })
})

describe('a bundle for a browser', () => {
  it('has at most 25 KiB when compressed, and contains no module of Node', async () => {
    const contents = "export { createCredenceClient } from '@credence/client'"
    const { outputFiles, metafile } = await build({
      stdin: { contents, resolveDir: consumer.directory },
      ...{ bundle: true, minify: true, platform: 'browser', format: 'esm', write: false, metafile: true },
    })
    const [bundle] = outputFiles
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
    expect(imported.filter((path) => path.startsWith('node:') || builtinModules.includes(path))).toEqual([])
    expect(imported).toEqual([])
    expect(gzipSync(bundle?.contents ?? '').length).toBeLessThanOrEqual(MAX_BUNDLE_BYTES)
    expect(gzipSync(bundle?.contents ?? '').length).toBeGreaterThan(1024)
  })
})
