import { useTexts } from '../../texts/use-texts.js'
import type { ShownClaim } from './shown-claims.js'

/** The claims of a version, as a table for reading. */
export function Claims({ rows }: { readonly rows: readonly ShownClaim[] }) {
  const { types: words, common } = useTexts()
  return (
    <table className="list">
      <caption className="hidden">{words.claims}</caption>
      <thead>
        <tr>
          <th scope="col">{words.claim}</th>
          <th scope="col">{words.kind}</th>
          <th scope="col">{words.required}</th>
          <th scope="col">{words.selective}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ path, title, kind, several, values, required, selective }) => (
          <tr key={path}>
            <th scope="row">
              {title || path}
              {title !== '' && <code className="soft"> {path}</code>}
            </th>
            <td data-label={words.kind}>
              {values !== '' ? words.oneOf(values) : several ? words.listOf(words.kinds[kind]) : words.kinds[kind]}
            </td>
            <td data-label={words.required}>{required ? common.yes : common.no}</td>
            <td data-label={words.selective}>{selective ? common.yes : common.no}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
