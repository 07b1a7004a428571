import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const RESULTS = join(import.meta.dirname, '..', 'results')

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

export const titleOf = (at: Date): string => `# Benchmarks of ${dayOf(at)}`

/** Prints the result of a benchmark line by line, and stores it if requested. */
export class Report {
  readonly #lines: string[] = []

  readonly say = (line: string): void => {
    process.stdout.write(`${line}\n`)
    this.#lines.push(line)
  }

  /** Writes the report into results/. The file name has the day and the name of the benchmark. */
  save(name: string, at = new Date()): void {
    mkdirSync(RESULTS, { recursive: true })
    const path = join(RESULTS, `${dayOf(at)}-${name}.md`)
    writeFileSync(path, `${[titleOf(at), ...this.#lines.map((line) => line.trim())].join('\n\n')}\n`)
    process.stdout.write(`\nkept in ${path}\n`)
  }
}
