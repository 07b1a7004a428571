import { PrismaPg } from '@prisma/adapter-pg'
import {
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import pg from 'pg'

/** PostgreSQL's `"char"`, a byte of its catalogue, and the array of it. */
const charType = 18
const charArrayType = 1002

/**
 * The connection of the schema engine: Prisma's adapter for pg. That adapter is made for queries, so this class corrects it
 * where migrations and reading the catalogue need more.
 */
export class SchemaEngineAdapterFactory implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'postgres'
  readonly adapterName = '@prisma/adapter-pg'
  private readonly adapters: SqlDriverAdapter[] = []

  constructor(private readonly databaseUrl: string) {}

  connect(): Promise<SqlDriverAdapter> {
    return this.open(this.databaseUrl, async () => undefined)
  }

  /** An empty database for the time of a comparison. The adapter's own would be the main one for a connection string. */
  async connectToShadowDb(): Promise<SqlDriverAdapter> {
    const name = `schema_shadow_${crypto.randomUUID().replaceAll('-', '')}`
    const url = new URL(this.databaseUrl)
    url.pathname = `/${name}`
    await execute(this.databaseUrl, `CREATE DATABASE ${name}`)
    return this.open(url.href, () => execute(this.databaseUrl, `DROP DATABASE ${name} WITH (FORCE)`))
  }

  /** The engine leaves its connections open, and one of them holds the advisory lock of its migration. */
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

/** The adapter's own executeScript splits at every semicolon, also within a string, a comment or a function body. */
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
 * The adapter does not know `"char"`, a frequent type in the catalogue: it passes through as its array, and gets its name back.
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
