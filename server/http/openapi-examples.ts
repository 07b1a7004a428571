type JsonObject = Record<string, unknown>

const UUID = '3f0c8a52-6d1e-4b7f-9a64-2c5e8d7b1f90'
const DID = 'did:web:credence.example.org:3f0c8a52-6d1e-4b7f-9a64-2c5e8d7b1f90'
const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }
const SCHEMA = { type: 'object', properties: { productName: { type: 'string' } }, required: ['productName'] }

/** Example values by the name of a member. They are more useful than values that are derived from the member's type. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  name: 'ProofOfPurchase',
  type: 'ProofOfPurchase',
  credential_type: 'ProofOfPurchase',
  version: 1,
  did: DID,
  recipient: DID,
  issuer: DID,
  credential_subject: SUBJECT,
  credentialSubject: SUBJECT,
  credential: 'eyJhbGciOiJFUzI1NiJ9.eyJ2YyI6e319.c2lnbmF0dXJl',
  schema: SCHEMA,
  schemaBody: SCHEMA,
  filter: { type: 'string', const: 'ProofOfPurchase' },
  path: ['$.vct'],
  locale: 'en',
  qrContent:
    'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fcredence.example.org%2Fopenid4vci%2Foffers%2F1',
  uri: 'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fcredence.example.org%2Fopenid4vci%2Foffers%2F1',
  redirect_uri: 'https://shop.example.org/return',
  credentialConfigurationIds: ['ProofOfPurchase'],
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: UUID,
  uri: 'https://credence.example.org',
  'date-time': '2026-01-01T12:00:00.000Z',
}

/** True if a value found by member name has the type of the schema. */
function fits(value: unknown, { type }: JsonObject): boolean {
  if (type === undefined) return true
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return type === 'object' ? typeof value === 'object' && !Array.isArray(value) : typeof value === type
}

/** The example of an object shows its required members. If no member is required, it shows the optional members. */
function objectExample(schema: JsonObject, depth: number): JsonObject {
  const properties = (schema.properties ?? {}) as Record<string, JsonObject>
  const required = (schema.required ?? []) as readonly string[]
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 4)
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, name, depth + 1)]))
}

function numberExample({ minimum, exclusiveMinimum }: JsonObject): number {
  if (typeof exclusiveMinimum === 'number' && exclusiveMinimum >= 1) return exclusiveMinimum + 1
  return typeof minimum === 'number' && minimum > 1 ? minimum : 1
}

function byType(schema: JsonObject, depth: number): unknown {
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return BY_FORMAT[String(schema.format)] ?? 'text'
    case 'number':
    case 'integer':
      return numberExample(schema)
    case 'boolean':
      return true
    case 'array':
      return depth > 6 ? [] : [exampleOf((schema.items ?? {}) as JsonObject, '', depth + 1)]
    case 'null':
      return null
    default:
      return objectExample(schema, depth)
  }
}

/**
 * Makes an example for a JSON Schema of the generator: the example in the schema, or a value that fits the name or the
 * type of the member.
 */
export function exampleOf(schema: JsonObject, name = '', depth = 0): unknown {
  if (schema.example !== undefined) return schema.example
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (Object.hasOwn(BY_NAME, name) && fits(BY_NAME[name], schema)) return BY_NAME[name]
  const [branch] = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) ?? []
  if (branch !== undefined) return exampleOf(branch, name, depth)
  return typeof schema.$ref === 'string' ? {} : byType(schema, depth)
}
