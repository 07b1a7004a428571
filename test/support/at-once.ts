/**
 * Runs an action `count` times at the same time. A run gets the store's answer only when all runs have asked the store.
 * So all runs decide by the state before the first change.
 */
export async function atOnce<Store extends object, Done>(
  store: Store,
  question: keyof Store & string,
  count: number,
  run: () => Promise<Done>,
): Promise<Done> {
  const ask = store[question] as (...asked: unknown[]) => Promise<unknown>
  let told = 0
  let go = () => {}
  const all = new Promise<void>((resolve) => {
    go = resolve
  })
  const answered = async (...asked: unknown[]) => {
    const answer = await ask.apply(store, asked)
    told += 1
    if (told === count) go()
    await all
    return answer
  }
  Object.assign(store, { [question]: answered })
  try {
    return await run()
  } finally {
    Object.assign(store, { [question]: ask })
  }
}
