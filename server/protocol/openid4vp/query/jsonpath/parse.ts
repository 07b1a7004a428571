import type { Work } from '../../../work.js'
import type { JsonPath, Segment, Selector } from './ast.js'
import { parseCondition } from './parse-condition.js'
import { JsonPathError, Scanner } from './scanner.js'

/**
 * Limits of a path: its characters, segments and descendant segments. The segments in the filters of the path are
 * included.
 */
const MAX_LENGTH = 512
const MAX_SEGMENTS = 32
const MAX_DESCENDANTS = 3

/** Cost of parsing a path: a base, and a part for each character. */
const UNITS_OF_A_PATH = 50
const UNITS_OF_A_CHARACTER = 10

interface Counts {
  segments: number
  descendants: number
}

/**
 * Parses a JSONPath (RFC 9535), including function calls and their types (§2.4.3). Patterns of `match()` and `search()` must be
 * literals that match in linear time.
 *
 * @param work the budget for parsing
 * @throws JsonPathError, WorkExceededError
 */
export function parseJsonPath(text: string, work: Work): JsonPath {
  if (text.length > MAX_LENGTH) throw new JsonPathError(`must not be longer than ${MAX_LENGTH} characters`)
  work.spend(UNITS_OF_A_PATH + UNITS_OF_A_CHARACTER * text.length)
  const scanner = new Scanner(text, work)
  scanner.expect('$')
  const segments = parseSegments(scanner, { segments: 0, descendants: 0 }, 0)
  if (!scanner.atEnd) scanner.refuse()
  return { segments }
}

function parseSegments(scanner: Scanner, counts: Counts, depth: number): Segment[] {
  const segments: Segment[] = []
  for (;;) {
    const before = scanner.position
    scanner.skipBlanks()
    if (!scanner.sees('.') && !scanner.sees('[')) {
      scanner.position = before
      return segments
    }
    const segment = parseSegment(scanner, counts, depth)
    count(counts, segment)
    segments.push(segment)
  }
}

function count(counts: Counts, { descendant }: Segment): void {
  counts.segments += 1
  if (descendant) counts.descendants += 1
  if (counts.segments > MAX_SEGMENTS) throw new JsonPathError(`must not have more than ${MAX_SEGMENTS} segments`)
  if (counts.descendants > MAX_DESCENDANTS) {
    throw new JsonPathError(`must not have more than ${MAX_DESCENDANTS} descendant segments`)
  }
}

/** §2.5.1.1, §2.5.2.1 */
function parseSegment(scanner: Scanner, counts: Counts, depth: number): Segment {
  const descendant = scanner.takes('..')
  if (!descendant && scanner.sees('[')) return { descendant, selectors: parseBrackets(scanner, counts, depth) }
  if (!descendant) scanner.expect('.')
  else if (scanner.sees('[')) return { descendant, selectors: parseBrackets(scanner, counts, depth) }
  if (scanner.takes('*')) return { descendant, selectors: [{ kind: 'wildcard' }] }
  const name = scanner.name() ?? scanner.refuse()
  return { descendant, selectors: [{ kind: 'name', name }] }
}

function parseBrackets(scanner: Scanner, counts: Counts, depth: number): Selector[] {
  const selectors: Selector[] = []
  scanner.expect('[')
  do {
    scanner.skipBlanks()
    selectors.push(parseSelector(scanner, counts, depth))
    scanner.skipBlanks()
  } while (scanner.takes(','))
  scanner.expect(']')
  return selectors
}

/** §2.3 */
function parseSelector(scanner: Scanner, counts: Counts, depth: number): Selector {
  if (scanner.takes('*')) return { kind: 'wildcard' }
  if (scanner.takes('?')) {
    scanner.skipBlanks()
    const condition = parseCondition(scanner, (inner) => parseSegments(scanner, counts, inner), depth + 1)
    return { kind: 'filter', condition }
  }
  const name = scanner.string()
  if (name !== undefined) return { kind: 'name', name }
  return parseIndexOrSlice(scanner)
}

/** §2.3.3.1, §2.3.4.1 */
function parseIndexOrSlice(scanner: Scanner): Selector {
  const start = scanner.integer()
  const afterStart = scanner.position
  if (start !== undefined) scanner.skipBlanks()
  if (!scanner.takes(':')) {
    scanner.position = afterStart
    return { kind: 'index', index: start ?? scanner.refuse() }
  }
  scanner.skipBlanks()
  const end = scanner.integer()
  scanner.skipBlanks()
  if (!scanner.takes(':')) return { kind: 'slice', start, end, step: 1 }
  scanner.skipBlanks()
  return { kind: 'slice', start, end, step: scanner.integer() ?? 1 }
}
