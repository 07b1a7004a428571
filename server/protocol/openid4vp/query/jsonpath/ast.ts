import type { LinearRegExp } from '../../../json-schema/linear-regexp.js'

/** A parsed JSONPath query (RFC 9535 §2.1). */
export interface JsonPath {
  readonly segments: readonly Segment[]
}

/** §2.5: a child segment, or a descendant segment (`..`). */
export interface Segment {
  readonly descendant: boolean
  readonly selectors: readonly Selector[]
}

/** §2.3. Omitted bounds of a slice are undefined. */
export type Selector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'index'; readonly index: number }
  | {
      readonly kind: 'slice'
      readonly start: number | undefined
      readonly end: number | undefined
      readonly step: number
    }
  | { readonly kind: 'filter'; readonly condition: Condition }

/** A query within a filter, from the root (`$`) or from the tested node (`@`). */
export interface FilterQuery {
  readonly kind: 'query'
  readonly from: '$' | '@'
  readonly segments: readonly Segment[]
}

/** §2.3.5.1: a logical expression. */
export type Condition =
  | { readonly kind: 'or' | 'and'; readonly operands: readonly Condition[] }
  | { readonly kind: 'not'; readonly operand: Condition }
  | { readonly kind: 'exists'; readonly query: FilterQuery }
  | {
      readonly kind: 'comparison'
      readonly left: Comparable
      readonly operator: ComparisonOperator
      readonly right: Comparable
    }
  | PatternCall

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>='

/** An operand that yields one value or nothing: a literal, a singular query, a function of ValueType (§2.4.1). */
export type Comparable = Literal | FilterQuery | ValueCall

export interface Literal {
  readonly kind: 'literal'
  readonly value: string | number | boolean | null
}

/** `length()`, `count()`, `value()` (§2.4.4, §2.4.5, §2.4.8). */
export type ValueCall =
  | { readonly kind: 'length'; readonly argument: Comparable }
  | { readonly kind: 'count' | 'value'; readonly argument: FilterQuery }

/** `match()` and `search()` (§2.4.6, §2.4.7). */
export interface PatternCall {
  readonly kind: 'match' | 'search'
  readonly subject: Comparable
  readonly pattern: Pattern
}

/** A compiled I-Regexp; undefined for a literal that is no string, which never matches. */
export type Pattern = LinearRegExp | undefined
