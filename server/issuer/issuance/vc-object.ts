import type { Config } from '../../config/config.js'
import { bitstringEntries, type SignedInstance, type SignRequest, schemaOf, validityOf } from './sign.js'

type JsonObject = Readonly<Record<string, unknown>>

/** The part of a signing request that appears in the credential. */
export type ViewRequest = Pick<SignRequest, 'context' | 'subject' | 'binding'>

/**
 * The credential object that the API shows. A format may have its own object. For every other format, the object has the same
 * shape without a proof, because only the holder gets the signed credential.
 */
export function credentialView(
  config: Pick<Config, 'issuerBaseUrl'>,
  request: ViewRequest,
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
    credentialSchema: schemaOf(config, context),
    // The Bitstring form and the token form are the same list.
    credentialStatus: bitstringEntries(config, context, signed.instance),
  }
}

const dateTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`
