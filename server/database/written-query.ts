import pg from 'pg'
import type { Statement } from './statement-texts.js'

type Row = Record<string, unknown>
type Connection = Parameters<pg.Submittable['submit']>[0]

const element = (value: unknown) => `"${String(value).replace(/["\\]/g, '\\$&')}"`

/** A value as PostgreSQL reads it. `statementTexts` has already converted times. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `{${value.map(element).join()}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Parsers for the rows of a prepared statement. */
class Columns {
  readonly #columns: readonly { readonly name: string; readonly parse: (text: string) => unknown }[]
  /** A row without values. All rows are copies of it, so that V8 gives them the same hidden class. */
  readonly #blank: Row = {}

  constructor(fields: readonly pg.FieldDef[]) {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: pg.types.getTypeParser(dataTypeID, 'text') }))
    for (const { name } of fields) this.#blank[name] = null
  }

  rowOf(texts: readonly (string | null)[]): Row {
    const row = { ...this.#blank }
    for (let at = 0; at < texts.length; at += 1) {
      const text = texts[at]
      const column = this.#columns[at]
      if (typeof text === 'string' && column !== undefined) row[column.name] = column.parse(text)
    }
    return row
  }
}

const NO_COLUMNS = new Columns([])

/** The statements that are prepared on each connection, by their names. */
const preparedOn = new WeakMap<Connection, Map<string, Columns>>()

/**
 * A query that the driver runs through its interface `Submittable`, as it runs cursors. Once the statement is prepared
 * on a connection, only the values are sent. The driver's own query class requests the columns of the statement and
 * builds the row parsers each time.
 *
 * The driver documents only `submit`; this class uses the same methods of the connection and the same `handle…`
 * functions as cursors do. With the driver's own query class, a statement takes 75 to 120 µs of processor time, which
 * is about 20 µs more than with this class. Over 8 statements, the saving is 4 % of a credential's issuance.
 */
export class WrittenQuery implements pg.Submittable {
  /** The driver sets this function. It must be called once with the result. */
  callback: ((error: Error | null, rows?: readonly Row[]) => void) | undefined
  /** The driver reads this name. It tracks the prepared statements of a connection by their names. */
  readonly name: string
  readonly text: string
  readonly #values: (string | null)[]
  readonly #rows: Row[] = []
  #prepared: Map<string, Columns> | undefined
  #columns: Columns | undefined
  #unreadable: Error | undefined

  constructor({ name, text, values }: Statement) {
    this.name = name
    this.text = text
    this.#values = values.map(textOf)
  }

  submit(connection: Connection): void {
    const { name, text } = this
    this.#prepared = preparedOn.get(connection) ?? new Map()
    preparedOn.set(connection, this.#prepared)
    this.#columns = this.#prepared.get(name)
    // The socket is corked, so that all messages are sent in one packet.
    connection.stream.cork()
    if (this.#columns === undefined) {
      // Prisma may have prepared the same text under this name on this connection. Closing a statement that does not
      // exist is allowed.
      if (name !== '') connection.close({ type: 'S', name }, true)
      connection.parse({ name, text, types: [] }, true)
    }
    connection.bind({ statement: name, values: this.#values }, true)
    if (this.#columns === undefined) connection.describe({ type: 'P', name: '' }, true)
    connection.execute(null, true)
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#columns = new Columns(fields)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#unreadable !== undefined) return
    try {
      this.#rows.push((this.#columns ?? NO_COLUMNS).rowOf(fields))
    } catch (error) {
      // The error is thrown later. An exception here would interrupt the driver while it reads the server's answer.
      this.#unreadable = error instanceof Error ? error : new Error('A row cannot be read.', { cause: error })
    }
  }

  handleCommandComplete(): void {
    if (this.name !== '') this.#prepared?.set(this.name, this.#columns ?? NO_COLUMNS)
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#unreadable ?? null, this.#rows)
  }

  handleError(error: Error): void {
    this.callback?.(error)
  }
}
