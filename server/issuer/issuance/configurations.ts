import type { CredentialFormat } from '../../formats/format.js'
import type { Formats } from '../../formats/registry.js'

/** The credential configuration of a schema in a format. A hyphen cannot stand in a schema's name, so that no two collide. */
export const configurationIdOf = (name: string, { issuing }: CredentialFormat): string =>
  `${name}${issuing.configurationSuffix}`

/** The configurations of a schema in some formats. */
export const configurationIdsOf = (formats: readonly CredentialFormat[], name: string): string[] =>
  formats.map((format) => configurationIdOf(name, format))

export interface Configuration {
  readonly name: string
  readonly format: CredentialFormat
}

/** The schema name and format that a configuration id stands for; undefined where it has no such form. */
export function parseConfigurationId(formats: Formats, id: string): Configuration | undefined {
  const [, name, suffix = ''] = /^([a-zA-Z0-9_]+)(-.+)?$/.exec(id) ?? []
  const format = formats.withSuffix(suffix)
  return name === undefined || format === undefined ? undefined : { name, format }
}
