import { PrismaPg } from '@prisma/adapter-pg'
import {
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import pg from 'pg'

/** The type numbers of PostgreSQL's `"char"` (a byte in its catalogue) and of its array. */
const charType = 18
const charArrayType = 1002

/**
 * The database connection of the schema engine. It extends Prisma's adapter for pg, which is made for queries, by the
 * parts that migrations and reads of the catalogue need.
 */
export class SchemaEngineAdapterFactory implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'postgres'
  readonly adapterName = '@prisma/adapter-pg'
  private readonly adapters: SqlDriverAdapter[] = []

  constructor(private readonly databaseUrl: string) {}

  connect(): Promise<SqlDriverAdapter> {
    return this.open(this.databaseUrl, async () => undefined)
  }

  /**
   * Makes an empty database for a comparison. The adapter's own method would use the main database if the adapter has a
   * connection string.
   */
  async connectToShadowDb(): Promise<SqlDriverAdapter> {
    const name = `schema_shadow_${crypto.randomUUID().replaceAll('-', '')}`
    const url = new URL(this.databaseUrl)
    url.pathname = `/${name}`
    await execute(this.databaseUrl, `CREATE DATABASE ${name}`)
    return this.open(url.href, () => execute(this.databaseUrl, `DROP DATABASE ${name} WITH (FORCE)`))
  }

  /**
   * Closes the connections. The engine does not close them, and one of them holds the advisory lock of the engine's
   * migration.
   */
  async dispose(): Promise<void> {
    for (const adapter of this.adapters) await adapter.dispose()
  }

  private async open(url: string, afterwards: () => Promise<void>): Promise<SqlDriverAdapter> {
    const pool = new pg.Pool({ connectionString: url, max: 2 })
    const adapter = withCharColumns(withWholeScripts(await new PrismaPg(pool).connect(), pool), pool)
    let disposed: Promise<void> | undefined
    adapter.dispose = () => {
      disposed ??= pool.end().then(afterwards)
      return disposed
    }
    this.adapters.push(adapter)
    return adapter
  }
}

/** Replaces executeScript: the adapter's own method splits at every semicolon, also within a string, a comment or a function body. */
function withWholeScripts(adapter: SqlDriverAdapter, pool: pg.Pool): SqlDriverAdapter {
  const query = pool.query.bind(pool)
  adapter.executeScript = async (script) => {
    try {
      // A script of several statements in one query is one transaction: a migration that fails leaves nothing behind.
      await query(script)
    } catch (error) {
      throw error instanceof pg.DatabaseError ? driverAdapterError(error) : error
    }
  }
  return adapter
}

function driverAdapterError({ code, severity, message, detail, column, hint }: pg.DatabaseError): DriverAdapterError {
  return new DriverAdapterError({
    kind: 'postgres',
    code: code ?? '',
    severity: severity ?? 'ERROR',
    message,
    detail,
    column,
    hint,
  })
}

/**
 * Adds support for `"char"`, a frequent type in the catalogue. The adapter supports only the array of this type. So a
 * value is declared as the array, and the result gets the right type name afterwards.
 */
function withCharColumns(adapter: SqlDriverAdapter, pool: pg.Pool): SqlDriverAdapter {
  const query = pool.query.bind(pool)
  const queryWithoutChar = async (config: pg.QueryConfig) => {
    const result = await query(config)
    for (const field of result.fields) if (field.dataTypeID === charType) field.dataTypeID = charArrayType
    return result
  }
  Object.assign(pool, { query: queryWithoutChar })
  const queryRaw = adapter.queryRaw.bind(adapter)
  adapter.queryRaw = async (input) => {
    const result = await queryRaw(input)
    const columnTypes = result.columnTypes.map((type) =>
      type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type,
    )
    return { ...result, columnTypes }
  }
  return adapter
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
