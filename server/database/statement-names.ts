import { createHash } from 'node:crypto'

/** Statements that PostgreSQL keeps parsed on each connection; more shapes than this come from lists of varying length. */
const MAX_STATEMENTS = 300

/** A name for a statement, so that it is parsed and planned once on each connection; none (empty) beyond the bound. */
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
