import { isObject } from '../../../json/json-object.js'
import { type Work, WorkExceededError } from '../../../work.js'
import type { JsonPath, Segment, Selector } from './ast.js'
import { holds } from './evaluate-condition.js'

/** Cost of reading a value. */
const UNITS_OF_A_STEP = 5

/** Maximum depth of the search for descendants: a deeper search would exceed the call stack. */
const MAX_DEPTH = 256

/**
 * The values that a path selects in a document (RFC 9535 §2.1.2), in the order of the RFC. An undefined array element,
 * which JSON does not have, keeps its position and is never selected.
 *
 * @param work the budget for reading values
 * @throws WorkExceededError if the path reads more
 */
export function selectByPath({ segments }: JsonPath, document: unknown, work: Work): unknown[] {
  return new Evaluation(document, work).select(segments, document)
}

class Evaluation {
  readonly #root: unknown
  readonly #work: Work

  constructor(root: unknown, work: Work) {
    this.#root = root
    this.#work = work
  }

  select(segments: readonly Segment[], from: unknown): unknown[] {
    let nodes = [from]
    for (const segment of segments) {
      const selected: unknown[] = []
      for (const node of nodes) this.#applySegment(segment, node, selected, 0)
      nodes = selected
    }
    return nodes
  }

  #applySegment(segment: Segment, node: unknown, selected: unknown[], depth: number): void {
    this.#work.spend(UNITS_OF_A_STEP)
    if (depth > MAX_DEPTH) throw new WorkExceededError('The document is too deep.')
    for (const selector of segment.selectors) this.#applySelector(selector, node, selected)
    if (!segment.descendant) return
    // §2.5.2.2: each node comes before its descendants.
    for (const child of childrenOf(node)) this.#applySegment(segment, child, selected, depth + 1)
  }

  #applySelector(selector: Selector, node: unknown, selected: unknown[]): void {
    this.#work.spend(UNITS_OF_A_STEP)
    switch (selector.kind) {
      case 'name':
        if (isObject(node) && Object.hasOwn(node, selector.name)) selected.push(node[selector.name])
        return
      case 'index': {
        if (!Array.isArray(node)) return
        const index = selector.index < 0 ? node.length + selector.index : selector.index
        if (index >= 0 && index < node.length && node[index] !== undefined) selected.push(node[index])
        return
      }
      case 'slice':
        if (Array.isArray(node))
          for (const index of this.#paid([...sliceOf(selector, node.length)])) {
            if (node[index] !== undefined) selected.push(node[index])
          }
        return
      case 'wildcard':
        for (const child of this.#paid(childrenOf(node))) selected.push(child)
        return
      case 'filter':
        for (const child of this.#paid(childrenOf(node))) {
          const select = (segments: readonly Segment[], from: '$' | '@') =>
            this.select(segments, from === '$' ? this.#root : child)
          if (holds(selector.condition, select, this.#work)) selected.push(child)
        }
    }
  }

  #paid<Item>(items: readonly Item[]): readonly Item[] {
    this.#work.spend(items.length * UNITS_OF_A_STEP)
    return items
  }
}

function childrenOf(node: unknown): readonly unknown[] {
  if (Array.isArray(node)) return node.includes(undefined) ? node.filter((item) => item !== undefined) : node
  return isObject(node) ? Object.values(node) : []
}

/**
 * §2.3.4.2.2: the indices that a slice selects. A large step is harmless: the loop never runs more often than there are
 * elements.
 */
function* sliceOf({ start, end, step }: Extract<Selector, { kind: 'slice' }>, length: number): Iterable<number> {
  const normalized = (bound: number) => (bound >= 0 ? bound : length + bound)
  const clamped = (bound: number, low: number, high: number) => Math.min(Math.max(normalized(bound), low), high)
  if (step > 0) {
    const upper = clamped(end ?? length, 0, length)
    for (let index = clamped(start ?? 0, 0, length); index < upper; index += step) yield index
  } else if (step < 0) {
    const lower = end === undefined ? -1 : clamped(end, -1, length - 1)
    for (let index = clamped(start ?? length - 1, -1, length - 1); index > lower; index += step) yield index
  }
}
