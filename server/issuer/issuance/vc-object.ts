import type { Config } from '../../config/config.js'
import type { Remains } from './remains-store.js'
import { bitstringEntries, type SignedInstance, type SignRequest, schemaOf } from './sign.js'
import { validityOf } from './validity.js'

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
  const { issuedAt, validFrom = issuedAt, expiresAt } = validityOf(context, now)
  const { name: typeName, issuerDid, id: schemaId } = context
  return {
    ...commonMembers(config, { id, typeName, issuerDid, schemaId, validFrom, expiresAt }),
    credentialSubject: { ...(binding.subjectId === undefined ? {} : { id: binding.subjectId }), ...subject },
    // The Bitstring form and the token form are the same list.
    credentialStatus: bitstringEntries(config, context, signed.instance),
  }
}

/** The credential object that the API shows for a credential whose claims were erased: it has neither claims nor proof. */
function erasedView(config: Pick<Config, 'issuerBaseUrl'>, id: string, remains: Remains): JsonObject {
  const { schemaId, schemaName, issuerDid, suspendable, listId, index } = remains
  const { validFrom, expiresAt } = validityOfRemains(remains)
  return {
    ...commonMembers(config, { id, typeName: schemaName, issuerDid, schemaId, validFrom, expiresAt }),
    ...(listId === null || index === null
      ? {}
      : { credentialStatus: bitstringEntries(config, { suspendable }, { listId, index }) }),
  }
}

/** The validity in the columns of a record. Records of earlier versions have no expiry time: it follows from the type. */
function validityOfRemains({ createdAt, validFrom, expiresAt, expiresInDays }: Remains) {
  const { issuedAt, ...ofType } = validityOf({ expiresInDays, validFrom: null }, new Date(createdAt))
  return {
    validFrom: validFrom === null ? issuedAt : new Date(validFrom),
    expiresAt: expiresAt === null ? ofType.expiresAt : new Date(expiresAt),
  }
}

/** A stored credential object with its remains. */
export interface StoredObject {
  readonly id: string
  readonly vc: JsonObject | null
  readonly remains: Remains | null
}

/** A stored credential object as the API shows it. `claimsErasedAt` is present if its claims were erased. */
export const shownObject = (config: Pick<Config, 'issuerBaseUrl'>, { id, vc, remains }: StoredObject) =>
  remains === null
    ? { vc: { ...vc } }
    : { vc: { ...erasedView(config, id, remains) }, claimsErasedAt: remains.erasedAt }

interface CommonMembers {
  readonly id: string
  readonly typeName: string
  readonly issuerDid: string
  readonly schemaId: string
  /** The beginning of the validity (VCDM 1.1 §4.6). */
  readonly validFrom: Date
  readonly expiresAt: Date | undefined
}

const commonMembers = (
  config: Pick<Config, 'issuerBaseUrl'>,
  { id, typeName, issuerDid, schemaId, validFrom, expiresAt }: CommonMembers,
) => ({
  '@context': ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/status/v1'],
  id: `urn:uuid:${id}`,
  type: ['VerifiableCredential', typeName],
  issuer: issuerDid,
  issuanceDate: dateTime(validFrom),
  ...(expiresAt === undefined ? {} : { expirationDate: dateTime(expiresAt) }),
  credentialSchema: schemaOf(config, { id: schemaId }),
})

const dateTime = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`
