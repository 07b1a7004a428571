import type { Deps } from '../../../deps.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import { parseConfigurationId } from '../../issuance/configurations.js'

/** A configuration that a wallet may ask for, with all that it can be named by. */
export interface OfferedType {
  readonly id: string
  readonly format: string
  /** The members that say its type (OpenID4VCI 1.0 Appendix A): `vct`, or `credential_definition`. */
  readonly members: JsonObject
}

/** What some configurations can be named by: only some drafts ask. */
export type OfferedTypes = () => readonly OfferedType[]

/** What some configurations can be named by. */
export const offeredTypes =
  ({ formats, config }: Pick<Deps, 'config' | 'formats'>, configurationIds: readonly string[]): OfferedTypes =>
  () =>
    configurationIds.flatMap((id) => {
      const configuration = parseConfigurationId(formats, id)
      if (configuration === undefined) return []
      const { name, format } = configuration
      const members = format.issuing.typeMembers({ name, mdoc: null }, config)
      return [{ id, format: format.name, members }]
    })
