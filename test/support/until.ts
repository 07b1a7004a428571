/** Waits until a condition holds. @throws after `seconds` without it */
export async function until(condition: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  const end = Date.now() + seconds * 1000
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('The condition does not hold.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
