import { z } from 'zod'
import { route } from '../../contract.js'

const zJsonObject = z.record(z.string(), z.unknown())

export const verifyCredential = {
  meta: route('POST', '/credentials/verify', {
    tag: 'Verify',
    summary: 'Verify one compact credential',
    description:
      'Stateless: no session is made and nothing is stored. A credential that is not valid is an answer, not an error.',
    access: 'verifier',
    errors: [400, 403],
  }),
  input: z.strictObject({
    credential: z.string().min(1).meta({
      description: 'SD-JWT (`<jwt>~<disclosure>~…~`) or compact JWT (`x.y.z`).',
      example: 'eyJhbGciOiJFUzI1NiJ9.eyJ2YyI6e319.c2ln',
    }),
  }),
  output: z.union([
    z.object({
      isValid: z.literal(true),
      format: z.literal('dc+sd-jwt'),
      payload: zJsonObject,
      prettyClaims: zJsonObject,
    }),
    z.object({ isValid: z.literal(true), format: z.literal('jwt_vc'), payload: zJsonObject }),
    z.object({ isValid: z.literal(false), error: z.string() }),
  ]),
}
