import { pathKey } from '../../../../server/protocol/json-schema/declared-claims.js'
import { entryOf, inDeclaredOrder, leavesOf } from '../../ui/claims.js'
import type { ShownClaim } from '../../ui/credential-card.js'
import { nameOf } from '../../ui/display-name.js'
import { type Reader, type TitlesOfValues, valueText } from '../../ui/value-text.js'
import type { Askable } from './askable.js'

/** The format and the types of a credential. */
interface Typed {
  readonly format: string
  readonly type: readonly string[]
}

/** The credential's type in this installation. The card has the names and colours of this type. */
export const knownTo = (types: readonly Askable[], { type, format }: Typed): Askable | undefined =>
  types.find((each) => each.format === format && type.includes(each.type))

/** The claims of a credential in words with the titles of its type, in the order of the type. @param named the titles of values */
export function claimsOf(
  claims: unknown,
  format: string,
  known: Askable | undefined,
  reader: Reader,
  named: TitlesOfValues,
): (ShownClaim & { readonly value: string })[] {
  const titles = new Map(
    known?.claims.map(({ path, display }) => [
      pathKey(path.map((name) => (typeof name === 'number' ? null : name))),
      nameOf(display, reader.language),
    ]),
  )
  const write = valueText(named, reader, format === 'mso_mdoc' ? 1 : 0)
  const prefix = format === 'jwt_vc_json' ? ['credentialSubject'] : []
  const declared = (known?.claims ?? []).map(({ path }) =>
    path.slice(prefix.length).map((name) => (typeof name === 'number' ? String(name) : name)),
  )
  return inDeclaredOrder(leavesOf(claims, write), declared).map(({ path, value }) => ({
    key: path.join('\0'),
    title: entryOf(titles, [...prefix, ...path]) ?? path.slice(format === 'mso_mdoc' ? 1 : 0).join('.'),
    value,
  }))
}
