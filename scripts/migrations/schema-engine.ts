import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { bindMigrationAwareSqlAdapterFactory, type ErrorRegistry } from '@prisma/driver-adapter-utils'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { Migration } from '../../server/database/migrations.js'
import { SchemaEngineAdapterFactory } from './schema-engine-adapter.js'

type Bindings = typeof import('@prisma/schema-engine-wasm/schema_engine_bg')

// Declared here, because neither the es2023 library nor Node's types declare WebAssembly.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, unknown>,
  ): Promise<{ instance: { exports: { __wbindgen_start: () => void } } }>
}

let bindings: Promise<Bindings> | undefined
let panicMessage: string | undefined

/** Loads the engine. The package's entry imports its .wasm file as a module, which only bundlers support. */
async function instantiate(): Promise<Bindings> {
  const module = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const [engine, bytes] = await Promise.all([
    import('@prisma/schema-engine-wasm/schema_engine_bg'),
    readFile(join(dirname(module), 'schema_engine_bg.wasm')),
  ])
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engine })
  engine.__wbg_set_wasm(instance.exports)
  // The engine writes its message here before it aborts.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => {
        panicMessage = message
      },
    },
  })
  instance.exports.__wbindgen_start()
  return engine
}

/**
 * Returns an error with a plain message. In an error of the engine, the engine's call stack follows the sentence, and a
 * number stands for an error that this process threw.
 */
function withPlainMessage(error: unknown, registry: ErrorRegistry): Error {
  const message = panicMessage ?? (error instanceof Error ? error.message : String(error))
  const id = /External error id#(\d+)/.exec(message)?.[1]
  const outer = id === undefined ? undefined : registry.consumeError(Number(id))?.error
  if (outer instanceof Error) return outer
  return new Error(message.replace(/\n {3}0: [\s\S]*$/, '').trim(), { cause: error })
}

/**
 * Runs `use` with Prisma's schema engine on a database. The engine is WebAssembly, so it needs no native program and no download.
 *
 * @throws {Error} whose message is the engine's sentence.
 */
export async function withSchemaEngine<T>(databaseUrl: string, use: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  bindings ??= instantiate()
  const { SchemaEngine } = await bindings
  const factory = new SchemaEngineAdapterFactory(databaseUrl)
  const bound = bindMigrationAwareSqlAdapterFactory(factory)
  try {
    return await use(await SchemaEngine.new({ datamodels: undefined }, () => undefined, bound))
  } catch (error) {
    throw withPlainMessage(error, bound.errorRegistry)
  } finally {
    await factory.dispose()
  }
}

/** Reads the migrations as the engine's input. */
export function migrationList(directory: string, migrations: readonly Migration[]): MigrationList {
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  }
}
