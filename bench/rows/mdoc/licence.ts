/** The credential type of the rows that compare formats: one subject with twelve claims. */
export const TYPE = 'Licence'
export const NAMESPACE = 'org.iso.18013.5.1'
export const DOCTYPE = 'org.iso.18013.5.1.mDL'
/** The purpose (`extendedKeyUsage`) that a signing certificate must have. */
export const PURPOSE = '1.0.18013.5.1.2'

/** The subject of the credentials. The elements of the mobile document have the same names as the claims. */
export const SUBJECT = {
  family_name: 'Mustermann',
  given_name: 'Erika',
  birth_date: '1984-01-26',
  issue_date: '2026-01-02',
  expiry_date: '2031-01-02',
  issuing_country: 'DE',
  issuing_authority: 'Stadt Köln',
  document_number: 'T22000129',
  resident_address: 'Heidestraße 17',
  resident_city: 'Köln',
  resident_postal_code: '51147',
  height: 176,
}

export const CLAIMS = Object.keys(SUBJECT)

const propertyOf = (name: string, value: string | number) => {
  if (typeof value === 'number') return { type: 'number' }
  return { type: 'string', ...(name.endsWith('_date') ? { format: 'date' } : {}) }
}

/** JSON Schema of the subject. */
const BODY = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: Object.fromEntries(Object.entries(SUBJECT).map(([name, value]) => [name, propertyOf(name, value)])),
}

const MDOC = {
  doctype: DOCTYPE,
  namespaces: { [NAMESPACE]: Object.fromEntries(CLAIMS.map((name) => [name, `/${name}`])) },
}

export const SCHEMA = { name: TYPE, version: 1, schema: BODY, mdoc: MDOC }

/** The two formats with their names in rows, and the suffixes of their configurations' ids. */
export const FORMATS = [
  { suffix: '-sd-jwt', format: 'dc+sd-jwt', what: 'an SD-JWT VC of 12 claims' },
  { suffix: '-mdoc', format: 'mso_mdoc', what: 'an mdoc of 12 elements' },
] as const

export type Format = (typeof FORMATS)[number]
