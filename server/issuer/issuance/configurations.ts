/** Credential formats that the service issues (OpenID4VCI 1.0 Appendix A.1.1, A.3). */
export type CredentialFormat = 'jwt_vc_json' | 'dc+sd-jwt'

const SD_JWT_SUFFIX = '-sd-jwt'

/**
 * The credential configuration of a schema in a format. A hyphen cannot stand in a schema's name, so that the two forms
 * never collide.
 */
export function configurationIdOf(name: string, format: CredentialFormat): string {
  return format === 'jwt_vc_json' ? name : `${name}${SD_JWT_SUFFIX}`
}

/** Every configuration of a schema, in the order in which they are offered. */
export const configurationIdsOf = (name: string): string[] => [
  configurationIdOf(name, 'jwt_vc_json'),
  configurationIdOf(name, 'dc+sd-jwt'),
]

export interface Configuration {
  readonly name: string
  readonly format: CredentialFormat
}

/** The schema name and format that a configuration id stands for; undefined where it has no such form. */
export function parseConfigurationId(id: string): Configuration | undefined {
  const match = /^([a-zA-Z0-9_]+)(-sd-jwt)?$/.exec(id)
  if (match?.[1] === undefined) return undefined
  return { name: match[1], format: match[2] === undefined ? 'jwt_vc_json' : 'dc+sd-jwt' }
}
