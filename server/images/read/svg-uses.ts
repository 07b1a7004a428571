import { ImageFault } from './image-fault.js'

/** An element, with the parts that decide how many elements a program draws. */
export interface Drawn {
  readonly children: Drawn[]
  /** The id of the element that a `<use>` draws again. */
  readonly uses?: string | undefined
}

/** The most elements that a program draws. Uses of uses can multiply: ten levels of ten uses are ten thousand million elements. */
const MOST_DRAWN = 20_000

/**
 * Makes sure that `<use>` elements do not multiply without a limit.
 *
 * @param byId the elements by their `id`
 * @throws ImageFault
 */
export function assertDrawable(root: Drawn, byId: ReadonlyMap<string, Drawn>): void {
  const known = new Map<Drawn, number>()
  const open = new Set<Drawn>()
  const drawn = (element: Drawn): number => {
    const before = known.get(element)
    if (before !== undefined) return before
    if (open.has(element)) throw new ImageFault('must not have <use> elements that draw each other in a circle')
    open.add(element)
    const used = element.uses === undefined ? undefined : byId.get(element.uses)
    let count = 1
    for (const each of used === undefined ? element.children : [...element.children, used]) {
      count += drawn(each)
      if (count > MOST_DRAWN) throw new ImageFault(`must not draw more than ${MOST_DRAWN} elements with <use>`)
    }
    open.delete(element)
    known.set(element, count)
    return count
  }
  drawn(root)
}
