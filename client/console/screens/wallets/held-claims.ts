import { pathKey } from '../../../../server/protocol/json-schema/declared-claims.js'
import type { HeldDetail, Presentation } from '../../queries/wallets.js'
import { entryOf, inDeclaredOrder, leavesOf } from '../../ui/claims.js'
import type { ShownClaim } from '../../ui/credential-card.js'
import { aboutSubject } from '../../ui/subject-claims.js'
import { type Reader, type TitlesOfValues, valueText } from '../../ui/value-text.js'

type Named = Pick<HeldDetail, 'claimNames' | 'format'>
type Path = readonly (string | number | null)[]

const titlesOf = ({ claimNames }: Named): ReadonlyMap<string, string> =>
  new Map(
    claimNames.map(({ path, name }) => [pathKey(path.map((part) => (typeof part === 'number' ? null : part))), name]),
  )

/** The parts of a path that hold claims in their format: the namespace of a mobile document is none. */
const OUTER: Readonly<Record<string, number>> = { mso_mdoc: 1, jwt_vc_json: 1 }

/** The title of a claim: the titles of all levels of its path that have one, otherwise their names. */
function titleOf(path: Path, credential: Named, titles: ReadonlyMap<string, string>): string {
  const names = path.map((part) => (part === null ? '*' : String(part)))
  return names
    .map((name, at) => entryOf(titles, names.slice(0, at + 1)) ?? name)
    .slice(Math.min(OUTER[credential.format] ?? 0, names.length - 1))
    .join(' › ')
}

/** The claims of a held credential in words with their titles, in the order of its issuer. @param named the titles of values */
export function heldClaims(
  credential: Pick<HeldDetail, 'claimNames' | 'claims' | 'format'>,
  reader: Reader,
  named: TitlesOfValues,
): ShownClaim[] {
  const { claims, claimNames, format } = credential
  const subject =
    format === 'jwt_vc_json'
      ? { credentialSubject: claims.credentialSubject }
      : format === 'mso_mdoc'
        ? claims
        : aboutSubject(claims)
  const titles = titlesOf(credential)
  const declared = claimNames.map(({ path }) => path.map((part) => (typeof part === 'number' ? String(part) : part)))
  return inDeclaredOrder(leavesOf(subject, valueText(named, reader, OUTER[format])), declared)
    .filter(({ path }) => path.join('.') !== 'credentialSubject.id')
    .map(({ path, value }) => ({ key: pathKey(path), title: titleOf(path, credential, titles), value }))
}

/** The titles of the claims of a credential that a presentation showed; undefined if they were not recorded. */
export function shownTitles({ credentials }: Presentation, credential: HeldDetail): readonly string[] | undefined {
  const titles = titlesOf(credential)
  const shown = credentials.filter(({ credentialId }) => credentialId === credential.id).map(({ claims }) => claims)
  if (shown.every((claims) => claims === undefined)) return undefined
  return [...new Set(shown.flatMap((claims = []) => claims.map((path) => titleOf(path, credential, titles))))]
}
