/** The length of one partition's period, in UTC. */
export type PartitionStep = { readonly hours: number } | 'month'

const HOUR_MS = 3_600_000

/** The start of the partition that contains a moment, or of the partition `steps` later. */
export function partitionStart(step: PartitionStep, moment: Date, steps = 0): Date {
  if (step === 'month') return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + steps))
  const ms = step.hours * HOUR_MS
  return new Date((Math.floor(moment.getTime() / ms) + steps) * ms)
}
