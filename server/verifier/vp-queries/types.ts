import type { Config } from '../../config.js'
import { vctOf } from '../../formats/dc-sd-jwt/vct.js'
import type { KnownTypes } from '../../protocol/openid4vp/dcql/item-types.js'
import type { TypeOfVct } from '../../protocol/openid4vp/query/credential-view.js'

/** How queries name the types of this installation, given the names of its schemas. */
export function knownTypes(config: Config, names: readonly string[]): KnownTypes {
  const known = new Set(names)
  return {
    vctOfType: (name) => (known.has(name) ? vctOf(config, name) : undefined),
    allVcts: names.map((name) => vctOf(config, name)),
  }
}

/** The same mapping backwards, for credentials that were presented. */
export function typeOfVct(config: Config): TypeOfVct {
  const prefix = vctOf(config, '')
  return (vct) => {
    const name = vct.startsWith(prefix) ? vct.slice(prefix.length) : ''
    return /^[a-zA-Z0-9_]+$/.test(name) ? name : undefined
  }
}
