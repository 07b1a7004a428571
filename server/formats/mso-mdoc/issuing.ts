import { CredentialError } from '../../protocol/credential/verification.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { pointerKeys, valueAt } from '../../protocol/json/json-pointer.js'
import { JsonSchemaError } from '../../protocol/json-schema/json-schema-error.js'
import type { MdocElements, MdocMapping } from '../../protocol/mdoc/elements.js'
import { Work, WorkExceededError } from '../../protocol/work.js'
import type { Binding, ClaimDescription, IssuedType, Issuing, SignedCredential, SigningRequest } from '../issuing.js'
import { loadMdoc } from './load.js'

/** The validity of documents whose type has no validity period: `validUntil` is required (ISO/IEC 18013-5 §9.1.2.4). */
const DEFAULT_VALIDITY_MS = 365 * 24 * 60 * 60 * 1000

/**
 * Limits for the sum of all elements, since one claim may occur in several elements. They lie below the limits of
 * verifiers: 1 MiB and 4,096 elements.
 */
const MAX_BYTES = 160 * 1024
const MAX_VALUES = 1_000

const pointersOf = ({ namespaces }: MdocMapping): readonly string[] =>
  Object.values(namespaces).flatMap((elements) => Object.values(elements))

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 1)
}

/** @throws CredentialError if the document of a subject would be larger than a verifier accepts. */
function assertBounds(mapping: MdocMapping, subject: JsonObject): void {
  let [bytes, values] = [0, 0]
  for (const pointer of pointersOf(mapping)) {
    const value = valueAt(subject, pointer)
    if (value === undefined) continue
    bytes += Buffer.byteLength(JSON.stringify(value))
    values += countValues(value)
    if (bytes > MAX_BYTES || values > MAX_VALUES)
      throw new CredentialError('The mdoc of the subject would be too large.')
  }
}

/**
 * Work budget for the elements of one subject during signing. `checkSubject` has done the same work before, within the
 * budget of the request.
 */
const SIGNING_WORK = 3_000_000

/** @throws CredentialError */
async function elementsOf(mdoc: MdocMapping, subject: JsonObject, body: JsonObject, work: Work): Promise<MdocElements> {
  const { mdocElementsOf } = await loadMdoc()
  try {
    return mdocElementsOf(mdoc, subject, body, work)
  } catch (thrown) {
    if (!(thrown instanceof WorkExceededError || thrown instanceof JsonSchemaError)) throw thrown
    throw new CredentialError('The mdoc of the subject takes too much work to make.', { cause: thrown })
  }
}

async function checkSubject(subject: JsonObject, { mdoc, body }: IssuedType, work: Work): Promise<void> {
  if (mdoc === null) return
  assertBounds(mdoc, subject)
  await elementsOf(mdoc, subject, body, work)
}

function deviceKeyOf({ holderKey }: Binding): Jwk {
  if (holderKey === undefined || !('kty' in holderKey))
    throw new CredentialError('An mdoc needs the key of its holder.')
  return holderKey
}

async function sign(request: SigningRequest): Promise<SignedCredential> {
  const { type, subject, binding, status, issuedAt, validFrom = issuedAt, now, expiresAt, x5c } = request
  if (type.mdoc === null) throw new CredentialError('The type has no mdoc.')
  const { issueMdoc } = await loadMdoc()
  const compact = await issueMdoc({
    signer: request.signer,
    x5c: x5c ?? [],
    doctype: type.mdoc.doctype,
    elements: await elementsOf(type.mdoc, subject, type.body, new Work(SIGNING_WORK)),
    deviceKey: deviceKeyOf(binding),
    status: status.token,
    issuedAt,
    validFrom,
    now,
    expiresAt: expiresAt ?? new Date(validFrom.getTime() + DEFAULT_VALIDITY_MS),
    randomBytes: request.randomBytes,
  })
  return { compact, vc: undefined }
}

/** The member names in a JSON pointer, written like the claims path of a subject's claim. */
const pathOf = (pointer: string): string => JSON.stringify(pointerKeys(pointer))

/** OpenID4VCI 1.0 Appendix C.2: a claims path is a namespace and an element. */
function claimsOf(claims: readonly ClaimDescription[], { mdoc }: IssuedType): readonly ClaimDescription[] {
  if (mdoc === null) return []
  const described = new Map(claims.map((claim) => [JSON.stringify(claim.path), claim]))
  const isMandatory = (path: ClaimDescription['path']) =>
    path.every((_, at) => described.get(JSON.stringify(path.slice(0, at + 1)))?.mandatory === true)
  return Object.entries(mdoc.namespaces).flatMap(([namespace, elements]) =>
    Object.entries(elements).map(([element, pointer]) => {
      const claim = described.get(pathOf(pointer))
      return {
        path: [namespace, element],
        display: claim?.display ?? [],
        mandatory: claim !== undefined && isMandatory(claim.path),
      }
    }),
  )
}

export const issuing: Issuing = {
  configurationSuffix: '-mdoc',
  title: 'an mdoc',
  drafts: false,
  bindingMethods: ['cose_key'],
  chain: 'mdoc',
  needsHolder: true,
  lacks: ({ asMdoc, certified }) => {
    if (!asMdoc) return 'a schema with mdoc'
    return certified ? undefined : 'an issuer with a certificate (for the default issuer: ISSUER_X509)'
  },
  reservedClaims: new Set(),
  checkSubject,
  checkHolderKey: async (key) => {
    const { coseKeyOf } = await loadMdoc()
    coseKeyOf(key)
  },
  proofAlgorithms: async (names) => {
    const { DEVICE_KEY_ALGORITHMS } = await loadMdoc()
    return names.filter((name) => DEVICE_KEY_ALGORITHMS.includes(name))
  },
  // OpenID4VCI 1.0 Appendix A.2.2
  signingAlgorithms: async (names) => {
    const { coseAlgorithmsOf } = await loadMdoc()
    return names.flatMap((name) => coseAlgorithmsOf(name))
  },
  typeMembers: ({ mdoc }) => (mdoc === null ? {} : { doctype: mdoc.doctype }),
  claimsOf,
  // The MSO contains the key itself, so the key is not named by a DID URL.
  bindingTo: ({ did, jwk }, subjectId) => ({ subjectId: subjectId ?? did, holderKey: jwk }),
  sign,
}
