/** How long the time of one partition is, in UTC. */
export type PartitionStep = { readonly hours: number } | 'month'

const HOUR_MS = 3_600_000

/** When the partition begins that has a moment; `steps` later ones on. */
export function partitionStart(step: PartitionStep, moment: Date, steps = 0): Date {
  if (step === 'month') return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + steps))
  const ms = step.hours * HOUR_MS
  return new Date((Math.floor(moment.getTime() / ms) + steps) * ms)
}
