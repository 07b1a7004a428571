import { createHash } from 'node:crypto'

/** Limit of prepared statements on each connection. Only statements with lists of varying length could exceed it. */
const MAX_STATEMENTS = 300

/**
 * Makes a name for each statement, so that PostgreSQL parses and plans the statement once on each connection. Beyond
 * the limit the name is empty.
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
