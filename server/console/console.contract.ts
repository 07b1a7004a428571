import { z } from 'zod'
import { route } from '../contract.js'

const zUser = z
  .strictObject({
    sub: z.string(),
    name: z.string().nullable().meta({ description: 'What the identity provider calls the user, where it says so.' }),
    roles: z.array(z.string()),
    isAdmin: z.boolean(),
    mayIssue: z.boolean().meta({ description: 'Whether they may do what issuers do: `admin`, or ISSUER_ROLE.' }),
    mayVerify: z.boolean().meta({ description: 'Whether they may do what verifiers do: `admin`, or VERIFIER_ROLE.' }),
  })
  .meta({ description: 'Null where nobody is logged in: `/console/login` does that.' })

export const zConsoleSession = z.strictObject({
  mode: z.enum(['login', 'open']).meta({
    description:
      '`login`: users log in at the identity provider. `open`: nobody does, and everybody is an admin, for local development only.',
  }),
  user: zUser.nullable(),
  idleAt: z.iso.datetime().nullable().meta({ description: 'When the session ends unless something is done before.' }),
  endsAt: z.iso.datetime().nullable().meta({ description: 'When it ends whatever is done.' }),
})

export const session = {
  meta: route('GET', '/console/session', {
    tag: 'Console',
    summary: 'Who uses the console',
    description: 'Asking is no activity: it makes no session last longer. 404 where the console is closed.',
    access: 'public',
    errors: [404],
  }),
  input: z.strictObject({}).prefault({}),
  output: zConsoleSession,
}
