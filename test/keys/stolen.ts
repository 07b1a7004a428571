import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { query } from '../support/postgres.js'

/**
 * Returns the ways in which a column, a file or a log may contain a text: unchanged, or in base64 or base64url. A text
 * inside a longer encoded text can have three different encodings.
 */
export function formsOf(text: string): string[] {
  const encoded = [0, 1, 2].flatMap((before) => {
    const octets = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    const from = Math.ceil((before * 8) / 6)
    const to = Math.floor((octets.length * 8) / 6)
    return [octets.toString('base64').slice(from, to), octets.toString('base64url').slice(from, to)]
  })
  return [...new Set([text, Buffer.from(text).toString('hex'), ...encoded])]
}

/** Finds which of the encoded texts a text contains. */
export const foundIn = (content: string, texts: readonly string[]): string[] =>
  texts.filter((text) => formsOf(text).some((form) => content.includes(form)))

/**
 * Finds the columns, as `table.column`, in which a thief of the database finds one of the texts. A partition is read with its
 * table. Each table is one statement: a connection for each column took two minutes on a busy machine.
 */
export async function columnsWith(databaseUrl: string, texts: readonly string[]): Promise<string[]> {
  const tables = await query<{ table: string; columns: string[] }>(
    databaseUrl,
    `SELECT c.relname AS table, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     GROUP BY c.relname ORDER BY c.relname`,
  )
  const found: string[] = []
  for (const { table, columns } of tables) {
    const values = columns.map((column) => `"${column}"::text AS "${column}"`).join(', ')
    const rows = await query<Record<string, string | null>>(databaseUrl, `SELECT ${values} FROM "${table}"`)
    const leaking = columns.filter((column) => rows.some((row) => foundIn(row[column] ?? '', texts).length > 0))
    found.push(...leaking.map((column) => `${table}.${column}`))
  }
  return found
}

/**
 * Finds the files of a PostgreSQL server in which a thief of the disk finds one of the texts. The files are tables,
 * indexes and the write-ahead log.
 */
export async function filesWith(dataDirectory: string, texts: readonly string[]): Promise<string[]> {
  const names = await readdir(dataDirectory, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const name of names) {
    if (!name.isFile()) continue
    const path = join(name.parentPath, name.name)
    // A temporary file may have been deleted meanwhile.
    const content = await readFile(path, 'latin1').catch(() => '')
    if (foundIn(content, texts).length > 0) found.push(path.slice(dataDirectory.length + 1))
  }
  return found
}
