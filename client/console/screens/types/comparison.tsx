import { useState } from 'react'
import type { TypeVersion } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { Tag } from '../../ui/tag.js'
import { type ClaimRow, rowsOf } from './claims.js'
import { localeOf, namesOf, withNames } from './names.js'
import { differences } from './shown-claims.js'
import { bodyOfVersion } from './version-body.js'

/** A removed claim is no error, so it is not red. */
const TONES = { added: 'good', removed: 'ended', changed: 'plain' } as const

/**
 * The rows of a version. Each title in a further language contains the language, because versions may list languages in
 * different orders.
 */
function comparable(version: TypeVersion): ClaimRow[] | undefined {
  const names = namesOf(bodyOfVersion(version), 'en')
  const rows = rowsOf(version.schemaBody, version.selectivelyDisclosable)
  return (
    rows &&
    withNames(rows, version.claims ?? [], names).map((row) => ({
      ...row,
      further: names
        .slice(1)
        .map((name, at) => `${localeOf(name).toLowerCase()} ${row.further[at] ?? ''}`)
        .filter((text) => !text.endsWith(' '))
        .sort(),
    }))
  )
}

/** The differences between two versions of a type, claim by claim. */
export function Comparison({ versions }: { readonly versions: readonly TypeVersion[] }) {
  const { types: words } = useTexts()
  const [older, setOlder] = useState(versions[1]?.id)
  const [newer, setNewer] = useState(versions[0]?.id)
  const rows = (id: string | undefined) => {
    const version = versions.find((each) => each.id === id)
    return version && comparable(version)
  }
  const [before, after] = [rows(older), rows(newer)]
  const changes = before && after && differences(before, after)
  const choice = (label: string, chosen: string | undefined, choose: (id: string) => void) => (
    <Field label={label} required>
      {(props) => (
        <select {...props} value={chosen} onChange={({ target }) => choose(target.value)}>
          {versions.map(({ id, version }) => (
            <option key={id} value={id}>
              {words.version(version)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
  return (
    <>
      <div className="columns">
        {choice(words.older, older, setOlder)}
        {choice(words.newer, newer, setNewer)}
      </div>
      {changes === undefined && <p>{words.notInTable}</p>}
      {changes?.length === 0 && <p>{words.noDifference}</p>}
      <ul className="plain records">
        {changes?.map(({ path, change, parts }) => (
          <li key={path}>
            <code>{path}</code>
            <Tag tone={TONES[change]}>{words.changes[change]}</Tag>
            {parts !== undefined && <span className="soft">{parts.map((part) => words.parts[part]).join(', ')}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}
