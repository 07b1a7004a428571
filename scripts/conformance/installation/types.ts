import type { Product } from './product.js'

/** A credential type whose credentials are issued to the suite. */
export interface IssuedType {
  readonly configuration: string
  /** The name of the schema. */
  readonly type: string
  readonly subject: Readonly<Record<string, unknown>>
}

const text = { type: 'string' }
const date = { type: 'string', format: 'date' }

const PURCHASE = {
  properties: { product: text, price: { type: 'number' }, buyer: text },
  subject: { product: 'Kettle', price: 39.5, buyer: 'Erika Mustermann' },
}

/** The eleven elements that ISO/IEC 18013-5 makes mandatory, with the values in the licence. */
const LICENCE: Readonly<Record<string, readonly [schema: object, value: unknown]>> = {
  family_name: [text, 'Mustermann'],
  given_name: [text, 'Erika'],
  birth_date: [date, '1984-01-26'],
  issue_date: [date, '2026-01-02'],
  expiry_date: [date, '2036-01-02'],
  issuing_country: [text, 'DE'],
  issuing_authority: [text, 'Kreis Musterstadt'],
  document_number: [text, 'B072RRE2I55'],
  portrait: [{ type: 'string', contentEncoding: 'base64' }, '/9j/4AAQSkZJRgABAQEAYABgAAD/2Q=='],
  driving_privileges: [
    { type: 'array', items: { type: 'object', properties: { vehicle_category_code: text } } },
    [{ vehicle_category_code: 'B' }],
  ],
  un_distinguishing_sign: [text, 'D'],
}

const mapped = <Value>(pick: (name: string, entry: readonly [object, unknown]) => Value) =>
  Object.fromEntries(Object.entries(LICENCE).map(([name, entry]) => [name, pick(name, entry)]))

const MDOC = {
  doctype: 'org.iso.18013.5.1.mDL',
  namespaces: { 'org.iso.18013.5.1': mapped((name) => `/${name}`) },
}

/** Values of the suite's variant `credential_format`. */
export type CredentialFormat = 'sd_jwt_vc' | 'mdoc'

const TYPES = {
  sd_jwt_vc: {
    name: 'Conformance',
    suffix: 'sd-jwt',
    properties: PURCHASE.properties,
    subject: PURCHASE.subject,
    members: { selectivelyDisclosable: Object.keys(PURCHASE.properties) },
  },
  mdoc: {
    name: 'ConformanceLicence',
    suffix: 'mdoc',
    properties: mapped((_name, [schema]) => schema),
    subject: mapped((_name, [, value]) => value),
    members: { mdoc: MDOC },
  },
} as const

/** Returns the credential type for a format. If `attested` is true, the type demands key attestations. */
export function issuedType(format: CredentialFormat, attested: boolean): IssuedType {
  const { name, suffix, subject } = TYPES[format]
  const type = attested ? `${name}Attested` : name
  return { configuration: `${type}-${suffix}`, type, subject }
}

/** Makes the credential types, unless an earlier run has already made them at this service. */
export async function makeTypes(product: Product): Promise<void> {
  for (const { name, properties, members } of Object.values(TYPES)) {
    for (const attested of [false, true]) {
      const { status, body } = await product.tried('/schemas', {
        name: attested ? `${name}Attested` : name,
        version: 1,
        display: [{ name: 'Conformance', locale: 'en' }],
        schema: { type: 'object', properties, required: Object.keys(properties) },
        ...members,
        ...(attested ? { keyAttestation: {} } : {}),
      })
      if (status !== 201 && status !== 409) throw new Error(`${name} was refused: ${JSON.stringify(body)}`)
    }
  }
}
