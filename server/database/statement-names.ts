import { createHash } from 'node:crypto'

/**
 * Limit of prepared statements on each connection; more statements than this come only from lists of varying length.
 */
const MAX_STATEMENTS = 300

/**
 * A name for a statement, so that PostgreSQL parses and plans the statement once on each connection. Beyond the limit
 * the name is empty.
 */
export type StatementNames = (sql: string) => string

export function statementNames(): StatementNames {
  const names = new Map<string, string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined || names.size >= MAX_STATEMENTS) return known ?? ''
    const name = createHash('sha256').update(sql).digest('base64url')
    names.set(sql, name)
    return name
  }
}
