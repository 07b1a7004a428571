import { z } from 'zod'
import type { Target } from '../targets/target.js'
import type { Sample } from './sample.js'

const zSample = z.object({
  operations: z.number(),
  perSecond: z.number(),
  p50: z.number(),
  p99: z.number(),
  cpuMs: z.number(),
  residentMiB: z.number(),
})

/** Lets a program without HTTP repeat an operation for a number of seconds, several at the same time. */
export const measureOperations = async (
  target: Target,
  operation: string,
  atOnce: number,
  seconds: number,
): Promise<Sample> => zSample.parse(await target.ask({ operation, atOnce, seconds }))
