import type { Config } from '../../config/config.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Issuability } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import type { IssuanceContext } from './store.js'

/** The credential configuration of a schema in a format. A hyphen cannot stand in a schema's name, so that no two collide. */
export const configurationIdOf = (name: string, { issuing }: IssuedFormat): string =>
  `${name}${issuing.configurationSuffix}`

/** Of some formats those that a type is issued in. */
export const formatsOfType = (formats: readonly IssuedFormat[], type: Issuability): readonly IssuedFormat[] =>
  formats.filter(({ issuing }) => issuing.lacks(type) === undefined)

/** The configurations of a schema in those of some formats that it is issued in. */
export const configurationIdsOf = (formats: readonly IssuedFormat[], name: string, type: Issuability): string[] =>
  formatsOfType(formats, type).map((format) => configurationIdOf(name, format))

/** What a type is issued in, by the issuer that signs it. */
export const issuabilityOf = ({ mdoc, x5c }: Pick<IssuanceContext, 'mdoc' | 'x5c'>): Issuability => ({
  asMdoc: mdoc !== null,
  certified: x5c !== null,
})

/** The same where the default issuer signs it. */
export const issuabilityByDefault = ({ issuerX509 }: Pick<Config, 'issuerX509'>, asMdoc: boolean): Issuability => ({
  asMdoc,
  certified: issuerX509 !== undefined,
})

export interface Configuration {
  readonly name: string
  readonly format: IssuedFormat
}

/** The schema name and format that a configuration id stands for; undefined where it has no such form. */
export function parseConfigurationId(formats: Pick<Formats, 'withSuffix'>, id: string): Configuration | undefined {
  const [, name, suffix = ''] = /^([a-zA-Z0-9_]+)(-.+)?$/.exec(id) ?? []
  const format = formats.withSuffix(suffix)
  return name === undefined || format === undefined ? undefined : { name, format }
}
