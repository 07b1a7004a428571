import type { X509Certificate } from 'node:crypto'
import { type DerElement, derElements, derMembers } from '../issuer-keys/der.js'
import type { RegistrationContent } from './content.js'
import type { RegistrationFault } from './fault.js'

/** Object identifiers as hexadecimal DER content. */
const ORGANIZATION_IDENTIFIER = '550461' // 2.5.4.97
const SERIAL_NUMBER = '550405' // 2.5.4.5

const TAG_VERSION = 0xa0
/** UTF8String, PrintableString and IA5String. No other type can be compared safely. */
const TEXTS: ReadonlySet<number> = new Set([0x0c, 0x13, 0x16])
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The identifiers in the subject of an access certificate (TS 119 475 §5.1): the `organizationIdentifier` of a legal
 * person, or otherwise the `serialNumber` of a natural person. Empty if the subject has neither.
 */
export function accessIdentifiers(certificate: X509Certificate): readonly string[] {
  try {
    const attributes = subjectAttributes(certificate.raw)
    const organizations = valuesOf(attributes, ORGANIZATION_IDENTIFIER)
    return organizations.length > 0 ? organizations : valuesOf(attributes, SERIAL_NUMBER)
  } catch (error) {
    // RangeError: the structure is no DER. TypeError: a text is no UTF-8.
    if (error instanceof RangeError || error instanceof TypeError) return []
    throw error
  }
}

interface Attribute {
  readonly id: string
  readonly value: DerElement
}

/** `RDNSequence` of the subject (RFC 5280 §4.1.2.6). */
function subjectAttributes(der: Uint8Array): readonly Attribute[] {
  const [tbs] = derMembers(der)
  const members = derElements(tbs?.content ?? new Uint8Array())
  const [, , , , subject] = members[0]?.tag === TAG_VERSION ? members.slice(1) : members
  return derElements(subject?.content ?? new Uint8Array()).flatMap((names) =>
    derElements(names.content).flatMap(({ content }) => {
      const [id, value] = derElements(content)
      return id === undefined || value === undefined ? [] : [{ id: Buffer.from(id.content).toString('hex'), value }]
    }),
  )
}

const valuesOf = (attributes: readonly Attribute[], wanted: string): readonly string[] =>
  attributes
    .filter(({ id, value }) => id === wanted && TEXTS.has(value.tag))
    .map(({ value }) => utf8.decode(value.content))
    .filter((text) => text.trim() !== '')

/**
 * Why a registration certificate does not belong to the party with this access certificate (TS 119 475 §4.5, §5.1.1,
 * GEN-5.2.4-02). Its `sub` must be an identifier of the access certificate's subject. If an intermediary sends the
 * request, the identifier of the intermediary must be there instead. Undefined if it belongs.
 *
 * @param access the certificate that signs the request; undefined if the request is not signed with a certificate
 */
export function bindingFault(
  { subject, intermediary }: Pick<RegistrationContent, 'subject' | 'intermediary'>,
  access: X509Certificate | undefined,
): RegistrationFault | undefined {
  const identifiers = access === undefined ? [] : accessIdentifiers(access)
  const wanted = intermediary?.identifier ?? subject.identifier
  if (identifiers.includes(wanted)) return undefined
  const who = intermediary === undefined ? 'is registered for' : 'names the intermediary'
  const other =
    identifiers.length === 0
      ? 'the access certificate has neither an organizationIdentifier nor a serialNumber'
      : `the access certificate is for ${identifiers.join(', ')}`
  return { check: 'other-subject', sentence: `The registration certificate ${who} ${wanted}, but ${other}.` }
}
