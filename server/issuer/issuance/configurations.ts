import type { IssuedFormat } from '../../formats/format.js'
import type { Issuability } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import type { IssuanceContext } from './store.js'

/** The id of the credential configuration of a schema in a format. A schema's name has no hyphen, so ids cannot collide. */
export const configurationIdOf = (name: string, { issuing }: IssuedFormat): string =>
  `${name}${issuing.configurationSuffix}`

/** The formats in the list in which a type is issued. */
export const formatsOfType = (formats: readonly IssuedFormat[], type: Issuability): readonly IssuedFormat[] =>
  formats.filter(({ issuing }) => issuing.lacks(type) === undefined)

/** Ids of the configurations of a schema, in the formats of the list in which it is issued. */
export const configurationIdsOf = (formats: readonly IssuedFormat[], name: string, type: Issuability): string[] =>
  formatsOfType(formats, type).map((format) => configurationIdOf(name, format))

/** The properties of a type and its issuer that decide in which formats it is issued. */
export const issuabilityOf = ({ mdoc, x5c }: Pick<IssuanceContext, 'mdoc' | 'x5c'>): Issuability => ({
  asMdoc: mdoc !== null,
  certified: x5c !== null,
})

/**
 * The same properties of a stored row.
 *
 * @param asMdoc whether the type has mobile documents and its issuer has a certificate
 */
export const issuabilityOfRow = (asMdoc: boolean): Issuability => ({ asMdoc, certified: asMdoc })

export interface Configuration {
  readonly name: string
  readonly format: IssuedFormat
}

/** The schema name and the format in a configuration id; undefined if the id has another form. */
export function parseConfigurationId(formats: Pick<Formats, 'withSuffix'>, id: string): Configuration | undefined {
  const [, name, suffix = ''] = /^([a-zA-Z0-9_]+)(-.+)?$/.exec(id) ?? []
  const format = formats.withSuffix(suffix)
  return name === undefined || format === undefined ? undefined : { name, format }
}
