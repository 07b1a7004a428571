import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { namesShape } from '../../names/names.js'
import { zSourceAuth } from './shape.js'

const OWNER = 'For the owner of the schema and for admins.'

export const replaceClaimsSourceSecret = {
  meta: route('POST', '/api/v1/schemas/{id}/claims-source/secret', {
    tag: 'Schemas',
    summary: 'Replace the secrets of a claims source',
    description: `${OWNER} \`auth\` has the same members as the claims source. The next request to the source uses the new secrets.`,
    access: 'issuer',
    status: 204,
    errors: [400, errors.schemaDenied(), errors.schemaNotFound(), errors.noClaimsSource()],
  }),
  input: z.strictObject({ id: z.string(), auth: zSourceAuth }),
  output: z.void(),
}

export const testClaimsSource = {
  meta: route('POST', '/api/v1/schemas/{id}/claims-source/test', {
    tag: 'Schemas',
    summary: 'Test a claims source',
    description:
      `${OWNER} Sends one request to the claims source, for example with a made-up \`reference\`. Nothing is issued, and nothing of the ` +
      'answer is stored. The request has the member `data.test`. A test that shows claims is an audit event, without the person and the claims.',
    access: 'issuer',
    errors: [400, errors.schemaDenied(), errors.schemaNotFound(), errors.noClaimsSource()],
  }),
  input: z
    .strictObject({
      id: z.string(),
      reference: namesShape.reference,
      subject: z.string().min(1).max(255).optional(),
    })
    .refine(({ reference, subject }) => reference !== undefined || subject !== undefined, {
      error: 'reference or subject must be given',
    }),
  output: z.strictObject({
    outcome: z.enum(['claims', 'deferred', 'unknown', 'refused', 'failed', 'busy']).meta({
      description:
        '`claims`: the claims can be issued. `deferred`: the source answers later. `unknown`: it does not know the person. `refused`: ' +
        'the schema refuses the claims. `failed`: there is no usable answer. `busy`: too many requests to the source are open.',
    }),
    milliseconds: z.int().meta({ description: 'Time until the answer, with a repeated request.' }),
    credentialSubject: z.record(z.string(), z.unknown()).optional(),
    problems: z
      .array(z.string())
      .meta({ description: 'Why the claims cannot be issued, or why there is no usable answer.' }),
  }),
}
