import type { Config } from '../../config.js'
import { schemaUri } from '../schemas/schemas.js'
import type { IssueRequest } from './issue.js'
import type { SignedInstance } from './sign.js'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * The credential object that the API shows: that of the JWT VC itself, or, where only an SD-JWT VC was signed, the same
 * shape without a proof, since the disclosures in it belong to its holder.
 */
export function credentialView(
  config: Config,
  request: Pick<IssueRequest, 'context' | 'subject' | 'binding'>,
  id: string,
  signed: SignedInstance,
  now: Date,
): JsonObject {
  if (signed.vc !== undefined) return signed.vc as JsonObject
  const { context, subject, binding } = request
  return {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    id: `urn:uuid:${id}`,
    type: ['VerifiableCredential', context.name],
    issuer: context.issuerDid,
    issuanceDate: `${now.toISOString().slice(0, 19)}Z`,
    credentialSubject: { ...(binding.subjectId === undefined ? {} : { id: binding.subjectId }), ...subject },
    credentialSchema: { id: schemaUri(config, context.id), type: 'JsonSchemaValidator2018' },
  }
}
