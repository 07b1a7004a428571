/**
 * An operation counts as cheaper if its CPU time is below this share of the former minimum. Between turns without a
 * change, the CPU time usually differs by less.
 */
const CHEAPER = 0.97
const MAX_TURNS = 6

/**
 * Loads a process until an operation no longer becomes cheaper. V8 compiles frequently used code again and again. A
 * flow that calls many small functions takes longer until all of them are compiled. Without enough warm-up its figures
 * would include the compilation.
 *
 * @param load loads the process for one turn, and resolves with the CPU time of an operation
 * @param maxTurns limit of turns, after which the process counts as warm
 */
export async function warmUp(load: () => Promise<number>, maxTurns = MAX_TURNS): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const cost = await load()
    if (!(cost < least * CHEAPER)) return
    least = cost
  }
}
