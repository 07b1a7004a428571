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

/** Finds the columns, as `table.column`, in which a thief of the database finds one of the texts. */
export async function columnsWith(databaseUrl: string, texts: readonly string[]): Promise<string[]> {
  const columns = await query<{ table_name: string; column_name: string }>(
    databaseUrl,
    `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'`,
  )
  const found: string[] = []
  for (const { table_name, column_name } of columns) {
    const rows = await query<{ text: string | null }>(
      databaseUrl,
      `SELECT "${column_name}"::text AS text FROM "${table_name}" WHERE "${column_name}" IS NOT NULL`,
    )
    if (rows.some(({ text }) => foundIn(text ?? '', texts).length > 0)) found.push(`${table_name}.${column_name}`)
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
