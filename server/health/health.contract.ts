import { z } from 'zod'
import { route } from '../api/contract.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'

const zComponents = z.record(
  z.string(),
  z.object({
    status: z.enum(['up', 'degraded', 'down']),
    reason: z
      .string()
      .optional()
      .meta({ description: 'Why the component does not work, by the names of the failed checks.' }),
  }),
)

const up = { database: { status: 'up' } }

const zHealth = z
  .object({ status: z.enum(['ok', 'error']), info: zComponents, error: zComponents, details: zComponents })
  .meta({ example: { status: 'ok', info: up, error: {}, details: up } })

export const liveness = {
  meta: route('GET', '/health/liveness', {
    tag: 'Operations',
    summary: 'Check that the process is alive',
    description: 'Checks only the process itself. If the check fails, restart the process.',
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
    summary: 'Check that requests can be served',
    description:
      'Checks the database. If configured, it also checks Redis, NATS, the replica, the identity provider, certificates, the ' +
      'verifier attestation and trusted lists. The body of a 503 has the same members, and the members of the error envelope. A process that is stopping ' +
      'answers with a 503 too.',
    access: 'public',
    kind: 'protocol',
    envelope: true,
    reply: zHealth,
    errors: [],
  }),
  input: z.object({}),
  output: zProtocolReply,
}
