import type { Config } from '../../config.js'
import { schemaUri } from '../schemas/schema-uri.js'
import { bitstringEntry, SCHEMA_TYPE, type SignedInstance, type SignRequest, validityOf } from './sign.js'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * The credential object that the API shows: that of the JWT VC itself, or, where only an SD-JWT VC was signed, the same
 * shape without a proof, since the disclosures in it belong to its holder.
 */
export function credentialView(
  config: Config,
  request: Pick<SignRequest, 'context' | 'subject' | 'binding'>,
  id: string,
  signed: SignedInstance,
  now: Date,
): JsonObject {
  if (signed.vc !== undefined) return signed.vc as JsonObject
  const { context, subject, binding } = request
  const { issuedAt, expiresAt } = validityOf(context, now)
  return {
    '@context': ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/status/v1'],
    id: `urn:uuid:${id}`,
    type: ['VerifiableCredential', context.name],
    issuer: context.issuerDid,
    issuanceDate: dateTime(issuedAt),
    ...(expiresAt === undefined ? {} : { expirationDate: dateTime(expiresAt) }),
    credentialSubject: { ...(binding.subjectId === undefined ? {} : { id: binding.subjectId }), ...subject },
    credentialSchema: { id: schemaUri(config, context.id), type: SCHEMA_TYPE },
    // The list is one and the same in both of its forms.
    credentialStatus: [bitstringEntry(config, signed.instance)],
  }
}

const dateTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`
