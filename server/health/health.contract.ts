import { z } from 'zod'
import { route } from '../api/contract.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'

const zComponents = z.record(z.string(), z.object({ status: z.enum(['up', 'degraded', 'down']) }))

const up = { database: { status: 'up' } }

const zHealth = z
  .object({ status: z.enum(['ok', 'error']), info: zComponents, error: zComponents, details: zComponents })
  .meta({ example: { status: 'ok', info: up, error: {}, details: up } })

export const liveness = {
  meta: route('GET', '/health/liveness', {
    tag: 'Operations',
    summary: 'Whether the process is alive',
    description: 'Looks at nothing but the process itself. Where it fails, the process is to be restarted.',
    access: 'public',
    kind: 'protocol',
    envelope: true,
    reply: zHealth,
    errors: [],
  }),
  input: z.object({}),
  output: zProtocolReply,
}

export const readiness = {
  meta: route('GET', '/health/readiness', {
    tag: 'Operations',
    summary: 'Whether requests can be served',
    description:
      'Looks at the database, and at Redis, NATS, the replica, the identity provider, certificates and the attestation of ' +
      'the verifier where they are configured. A 503 holds the ' +
      'same result with the members of the error envelope beside it; a process that was told to stop answers so ' +
      'too.',
    access: 'public',
    kind: 'protocol',
    envelope: true,
    reply: zHealth,
    errors: [],
  }),
  input: z.object({}),
  output: zProtocolReply,
}
