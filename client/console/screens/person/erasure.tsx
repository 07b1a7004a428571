import { Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'
import { Panel } from '../../ui/panel.js'
import { shortened } from '../../ui/short-id.js'

/** Maximum number of credentials to which the panel has links. */
const SHOWN = 20

/** The credentials of a person, whose pages have a button that erases their claims, and the data that stays afterwards. */
export function Erasure({ credentialIds }: { readonly credentialIds: readonly string[] }) {
  const { person: words } = useTexts()
  return (
    <Panel title={words.erase} intro={words.eraseText}>
      {credentialIds.length === 0 ? (
        <p className="soft">{words.noCredentials}</p>
      ) : (
        <ul>
          {credentialIds.slice(0, SHOWN).map((id) => (
            <li key={id}>
              <Link to="/credentials/$id" params={{ id }}>
                <code title={id}>{shortened(id)}</code>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
