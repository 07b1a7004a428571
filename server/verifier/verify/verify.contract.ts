import { z } from 'zod'
import { route } from '../../api/contract.js'
import { zVerdict, zVerdictByCheck } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'
import { zCheckDone } from './check-done.js'

const zCompactCredential = z.strictObject({
  credential: z.string().min(1).meta({
    description: 'SD-JWT (`<jwt>~<disclosure>~…~`) or compact JWT (`x.y.z`).',
    example: 'eyJhbGciOiJFUzI1NiJ9.eyJ2YyI6e319.c2ln',
  }),
})

const zCheckedCredential = zCompactCredential.extend({
  credential: zCompactCredential.shape.credential.meta({
    description: 'SD-JWT, compact JWT, or base64url of the IssuerSigned of a mobile document (ISO/IEC 18013-5).',
  }),
})

export const verifyCredential = (formats: Formats) => ({
  meta: route('POST', '/credentials/verify', {
    tag: 'Verify',
    summary: 'Verify one compact credential',
    description:
      'Stateless: no session is made and nothing is stored. A credential that is not valid is an answer, not an error.',
    access: 'verifier',
    errors: [400],
  }),
  input: zCompactCredential,
  output: zVerdict(formats),
})

export const checkCredentialByCheck = (formats: Formats) => ({
  meta: route('POST', '/api/v1/credentials/checks', {
    tag: 'Verify',
    summary: 'Verify one compact credential, and tell each check',
    description:
      'As POST /credentials/verify, whose answer is `verdict`, with the proven `issuer` of a valid credential: every check, passed, ' +
      'failed or not reached. ' +
      'Mobile documents are taken too; nothing but a chain to TRUST_ANCHORS proves who issued one. ' +
      'Whether its issuer is trusted is not judged else, and nothing is stored.',
    access: 'verifier',
    errors: [400],
  }),
  input: zCheckedCredential,
  output: z.object({ verdict: zVerdictByCheck(formats), checks: z.array(zCheckDone) }),
})
