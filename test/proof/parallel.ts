/** Runs an action `count` times, some at once. Returns the results in the order of their numbers. */
export async function inParallel<Result>(
  count: number,
  atOnce: number,
  act: (number: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const number = next
      next += 1
      results[number] = await act(number)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
  return results
}

/** A count for tests: reduced in an ordinary run, full with PROOF=1 (`npm run proof`). */
export const scaled = (full: number, reduced: number): number => (process.env.PROOF === '1' ? full : reduced)
