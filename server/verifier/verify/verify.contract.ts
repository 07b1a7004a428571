import { z } from 'zod'
import { route } from '../../contract.js'
import { zVerdict } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'

export const verifyCredential = (formats: Formats) => ({
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
  output: zVerdict(formats),
})
