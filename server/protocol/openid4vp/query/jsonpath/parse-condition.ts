import { LinearRegExp, PatternError } from '../../../json-schema/linear-regexp.js'
import type { Work } from '../../../work.js'
import type {
  Comparable,
  ComparisonOperator,
  Condition,
  FilterQuery,
  Literal,
  Pattern,
  PatternCall,
  Segment,
  ValueCall,
} from './ast.js'
import { JsonPathError, type Scanner } from './scanner.js'

/** Longer operators come first, so that `<=` is not read as `<`. */
const OPERATORS: readonly ComparisonOperator[] = ['==', '!=', '<=', '>=', '<', '>']

/** Maximum of nested filters and parentheses. */
const MAX_DEPTH = 8

/** Parses the segments of a query within a filter. `depth` is the nesting depth of the query. */
type ParseSegments = (depth: number) => Segment[]

/**
 * Parses a logical expression (RFC 9535 §2.3.5.1) by its precedence: parentheses, `!`, comparisons, `&&`, `||`.
 *
 * @param depth number of filters, parentheses and function calls around it
 * @throws JsonPathError
 */
export function parseCondition(scanner: Scanner, parseSegments: ParseSegments, depth: number): Condition {
  if (depth > MAX_DEPTH) throw new JsonPathError(`must not nest filters deeper than ${MAX_DEPTH} levels`)
  return chain('or', '||', scanner, () =>
    chain('and', '&&', scanner, () => new ConditionParser(scanner, parseSegments, depth).basic()),
  )
}

function chain(kind: 'or' | 'and', token: string, scanner: Scanner, parseOperand: () => Condition): Condition {
  const operands = [parseOperand()]
  const first = operands[0]
  for (;;) {
    const before = scanner.position
    scanner.skipBlanks()
    if (!scanner.takes(token)) {
      scanner.position = before
      return operands.length === 1 && first !== undefined ? first : { kind, operands }
    }
    scanner.skipBlanks()
    operands.push(parseOperand())
  }
}

class ConditionParser {
  readonly #scanner: Scanner
  readonly #parseSegments: ParseSegments
  readonly #depth: number

  constructor(scanner: Scanner, parseSegments: ParseSegments, depth: number) {
    this.#scanner = scanner
    this.#parseSegments = parseSegments
    this.#depth = depth
  }

  /** Reads a basic-expr of the grammar: an operand of `&&` and `||`. */
  basic(): Condition {
    if (this.#scanner.takes('!')) {
      this.#scanner.skipBlanks()
      const operand = this.#parenthesized() ?? this.#test(this.#operand())
      return { kind: 'not', operand }
    }
    return this.#parenthesized() ?? this.#testOrComparison()
  }

  #parenthesized(): Condition | undefined {
    const scanner = this.#scanner
    if (!scanner.takes('(')) return undefined
    scanner.skipBlanks()
    const condition = parseCondition(scanner, this.#parseSegments, this.#depth + 1)
    scanner.skipBlanks()
    scanner.expect(')')
    return condition
  }

  #testOrComparison(): Condition {
    const scanner = this.#scanner
    const left = this.#operand()
    const before = scanner.position
    scanner.skipBlanks()
    const operator = OPERATORS.find((candidate) => scanner.takes(candidate))
    if (operator === undefined) {
      scanner.position = before
      return this.#test(left)
    }
    scanner.skipBlanks()
    return { kind: 'comparison', left: this.#comparable(left), operator, right: this.#comparable(this.#operand()) }
  }

  /** A test (§2.3.5.1): a query that must find something, or a function of LogicalType. */
  #test(operand: Comparable | PatternCall): Condition {
    if (operand.kind === 'query') return { kind: 'exists', query: operand }
    if (isPatternCall(operand)) return operand
    // §2.4.3: neither a function of ValueType nor a literal is a test.
    return this.#scanner.refuse()
  }

  /** §2.4.3: a compared operand, or an argument of ValueType, yields at most one value. */
  #comparable(operand: Comparable | PatternCall): Comparable {
    if (isPatternCall(operand)) return this.#scanner.refuse()
    if (operand.kind === 'query' && !isSingular(operand)) return this.#scanner.refuse()
    return operand
  }

  #operand(): Comparable | PatternCall {
    const scanner = this.#scanner
    for (const from of ['$', '@'] as const) {
      if (scanner.takes(from)) return { kind: 'query', from, segments: this.#parseSegments(this.#depth) }
    }
    const name = scanner.functionName()
    if (name !== undefined) return this.#call(name)
    return this.#literal()
  }

  #literal(): Literal {
    const scanner = this.#scanner
    if (scanner.takes('true')) return { kind: 'literal', value: true }
    if (scanner.takes('false')) return { kind: 'literal', value: false }
    if (scanner.takes('null')) return { kind: 'literal', value: null }
    return { kind: 'literal', value: scanner.string() ?? scanner.number() ?? scanner.refuse() }
  }

  #call(name: string): ValueCall | PatternCall {
    const scanner = this.#scanner
    scanner.expect('(')
    scanner.skipBlanks()
    const call = this.#callOf(name)
    scanner.skipBlanks()
    scanner.expect(')')
    return call
  }

  /** §2.4: only the function extensions that the RFC defines are supported. */
  #callOf(name: string): ValueCall | PatternCall {
    switch (name) {
      case 'length':
        return { kind: name, argument: this.#comparable(this.#operand()) }
      case 'count':
      case 'value':
        return { kind: name, argument: this.#query() }
      case 'match':
      case 'search':
        return this.#patternCall(name)
      default:
        throw new JsonPathError(`calls the unknown function ${name}`)
    }
  }

  #query(): FilterQuery {
    const operand = this.#operand()
    return operand.kind === 'query' ? operand : this.#scanner.refuse()
  }

  #patternCall(kind: 'match' | 'search'): PatternCall {
    const scanner = this.#scanner
    const subject = this.#comparable(this.#operand())
    scanner.skipBlanks()
    scanner.expect(',')
    scanner.skipBlanks()
    const pattern = this.#operand()
    // The pattern must be a literal. A pattern that is read from the credential would let the holder decide what is
    // compiled.
    if (pattern.kind !== 'literal') throw new JsonPathError(`calls ${kind}() with a pattern that is not a literal`)
    return { kind, subject, pattern: compilePattern(pattern.value, kind === 'match', scanner.work) }
  }
}

function isPatternCall(operand: Comparable | PatternCall): operand is PatternCall {
  return operand.kind === 'match' || operand.kind === 'search'
}

/** §2.3.5.1: in a singular query, each segment is a child segment with one name or one index. */
function isSingular({ segments }: FilterQuery): boolean {
  return segments.every(({ descendant, selectors }) => {
    const [selector, ...others] = selectors
    return !descendant && others.length === 0 && (selector?.kind === 'name' || selector?.kind === 'index')
  })
}

function compilePattern(value: Literal['value'], whole: boolean, work: Work): Pattern {
  if (typeof value !== 'string') return undefined
  try {
    return new LinearRegExp(withIRegexpDots(value), work, whole)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new JsonPathError(`has a pattern that ${error.message}`, { cause: error })
  }
}

/** RFC 9485 §5.3: a dot of an I-Regexp, outside of a character class, matches neither line feed nor carriage return. */
function withIRegexpDots(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\\\]])*\]|\./gsu, (token) => (token === '.' ? '[^\\n\\r]' : token))
}
