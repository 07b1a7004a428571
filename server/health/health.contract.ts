import { z } from 'zod'
import { route } from '../contract.js'

const zComponents = z.record(z.string(), z.object({ status: z.enum(['up', 'down']) }))

export const zHealth = z.object({
  status: z.enum(['ok', 'error']),
  info: zComponents,
  error: zComponents,
  details: zComponents,
})

export const liveness = {
  meta: route('GET', '/health/liveness', {
    tag: 'Operations',
    summary: 'Whether the process is alive',
    access: 'public',
    kind: 'protocol',
    errors: [],
  }),
  input: z.object({}),
}

export const readiness = {
  meta: route('GET', '/health/readiness', {
    tag: 'Operations',
    summary: 'Whether requests can be served',
    access: 'public',
    kind: 'protocol',
    errors: [],
  }),
  input: z.object({}),
}
