/** The sum of two counters, or of two groups of counters. Every other value is the earlier value. */
function sumOf(value: unknown, more: unknown): unknown {
  if (typeof value === 'number' && typeof more === 'number') return value + more
  if (typeof value === 'object' && value !== null && typeof more === 'object' && more !== null)
    return added(value, more)
  return value
}

function added<Of extends object>(one: Of, other: object): Of {
  const more: Readonly<Record<string, unknown>> = { ...other }
  // `Object.fromEntries` loses the names of the members.
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, sumOf(value, more[name])])) as Of
}

/** The midnight some days ago, in the zone of the browser. */
export function midnightBefore(days: number, now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
}

/**
 * Adds the steps of each day in the zone of the browser. A step keeps the time of the first hour of its day. In zones that differ
 * from UTC by half an hour, the hour around midnight counts for the day in which it begins.
 *
 * @param steps one step for each hour, in order
 */
export function byLocalDay<Step extends { readonly at: string }>(steps: readonly Step[]): Step[] {
  const days = new Map<string, Step>()
  for (const step of steps) {
    const day = new Date(step.at).toDateString()
    const before = days.get(day)
    days.set(day, before === undefined ? step : added(before, step))
  }
  return [...days.values()]
}
