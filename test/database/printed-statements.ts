import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'sql-formatter'
import { textsMade } from '../../server/database/statement-texts.js'

const SERVER = fileURLToPath(new URL('../../server', import.meta.url))
export const PRINTED = fileURLToPath(new URL('./statements', import.meta.url))

/**
 * The name of a function that has no name of its own: the name of its variable, as in `const issuer = coalesced(async
 * (ids) => …)`.
 */
function namedAt(file: string, line: number): string {
  const before = readFileSync(file, 'utf8').split('\n').slice(0, line).reverse()
  return (
    before
      .map((text) => /^\s*(?:const )?(\w+)(?: = |: )coalesced/.exec(text)?.[1])
      .find((name) => name !== undefined) ?? 'unnamed'
  )
}

/** Finds in the current stack which store function sends a statement, such as `issuer/openid4vci/issue`. */
function askerOf(stack: string): string {
  for (const at of stack.split('\n')) {
    const [, name, file = '', line = ''] =
      /at (?:async )?(?:(?:Object|Module)\.)?(?:(\S+) \()?(?:file:\/\/)?(\/[^)]*?):(\d+):\d+\)?$/.exec(at) ?? []
    const place = relative(SERVER, file)
    if (file === '' || place.startsWith('..') || place.startsWith('database/')) continue
    return join(dirname(place), name?.replace(/[^\w-]/g, '') ?? namedAt(file, Number(line)))
  }
  throw new Error(`A statement is asked for by no store:\n${stack}`)
}

const printed = (text: string) => `${format(text, { language: 'postgresql', keywordCase: 'upper' })}\n`

/** Starts to collect statements. They are grouped by the store function that sends them. */
export function collectStatements(): { readonly statements: ReadonlyMap<string, ReadonlySet<string>>; stop(): void } {
  const statements = new Map<string, Set<string>>()
  const onText = (text: unknown) => {
    const asker = askerOf(new Error('Asked for here').stack ?? '')
    const texts = statements.get(asker) ?? new Set()
    statements.set(asker, texts.add(printed(String(text))))
  }
  textsMade.subscribe(onText)
  return { statements, stop: () => void textsMade.unsubscribe(onText) }
}

/**
 * Reads the files with the expected statements, by the store function that sends them. A statement with several
 * variants has several files.
 */
export function printedStatements(): Map<string, Set<string>> {
  const statements = new Map<string, Set<string>>()
  for (const file of readdirSync(PRINTED, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.sql')) continue
    const asker = file.replace(/(?:\.\d+)?\.sql$/, '')
    const texts = statements.get(asker) ?? new Set()
    statements.set(asker, texts.add(readFileSync(join(PRINTED, file), 'utf8')))
  }
  return statements
}

/** Writes a file for each variant of each statement. */
export function printStatements(statements: ReadonlyMap<string, ReadonlySet<string>>): void {
  rmSync(PRINTED, { recursive: true, force: true })
  for (const [asker, texts] of statements) {
    mkdirSync(dirname(join(PRINTED, asker)), { recursive: true })
    const sorted = [...texts].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    sorted.forEach((text, at) => {
      writeFileSync(join(PRINTED, `${asker}${at === 0 ? '' : `.${at + 1}`}.sql`), text)
    })
  }
}
