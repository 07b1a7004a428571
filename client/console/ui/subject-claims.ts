/** Claims about the credential itself (RFC 7519, SD-JWT VC), not about its subject. */
const ABOUT_ITSELF = new Set([
  'iss',
  'iat',
  'nbf',
  'exp',
  'jti',
  'sub',
  'cnf',
  'status',
  'vct',
  'vct#integrity',
  '_sd_alg',
])

/** The claims of an SD-JWT VC about its subject. */
export const aboutSubject = (claims: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !ABOUT_ITSELF.has(name)))
