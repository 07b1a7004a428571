/** Below this part of the least before, an operation has become cheaper. Turns of the same load differ by less, mostly. */
const CHEAPER = 0.97
const MAX_TURNS = 6

/**
 * Loads a process until an operation costs it no less than before, since V8 compiles again and again what is used much: a flow of
 * many small functions takes longer for that than a short one, and would pay for it in the figures.
 *
 * @param load loads it for one turn, and resolves with the CPU time of an operation
 * @param maxTurns after which it is as it is
 */
export async function warmUp(load: () => Promise<number>, maxTurns = MAX_TURNS): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const cost = await load()
    if (!(cost < least * CHEAPER)) return
    least = cost
  }
}
