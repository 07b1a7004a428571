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
      'Stateless: creates no session and stores nothing. The reply for an invalid credential is a verdict, not an error.',
    access: 'verifier',
    errors: [400],
  }),
  input: zCompactCredential,
  output: zVerdict(formats),
})

export const checkCredentialByCheck = (formats: Formats) => ({
  meta: route('POST', '/api/v1/credentials/checks', {
    tag: 'Verify',
    summary: 'Verify one compact credential and report each check',
    description:
      '`verdict` is the reply of POST /credentials/verify, and a valid credential has its proven `issuer`. `checks` reports every ' +
      'check as passed, failed or not reached. ' +
      'Mobile documents are also accepted; only a chain to TRUST_ANCHORS or to a trusted list proves their issuer. ' +
      'For other formats, trust in the issuer is not checked. Nothing is stored.',
    access: 'verifier',
    errors: [400],
  }),
  input: zCheckedCredential,
  output: z.object({ verdict: zVerdictByCheck(formats), checks: z.array(zCheckDone) }),
})
