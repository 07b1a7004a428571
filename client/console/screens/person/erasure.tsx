import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Erasable, eraseClaims } from '../../queries/exports.js'
import { useTexts } from '../../texts/use-texts.js'
import { Confirmation } from '../../ui/confirmation.js'
import { Panel } from '../../ui/panel.js'
import { shortened } from '../../ui/short-id.js'

/** Maximum number of records of each kind that the panel shows. */
const SHOWN = 20

interface Props {
  readonly credentialIds: readonly string[]
  readonly others: readonly Erasable[]
}

/**
 * The credentials of a person, whose pages have a button that erases their claims; the person's offers and sessions, each with such
 * a button; and the data that stays afterwards.
 */
export function Erasure({ credentialIds, others }: Props) {
  const { person: words, credentials } = useTexts()
  const [asking, setAsking] = useState<Erasable>()
  const [erased, setErased] = useState<readonly string[]>([])
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
      {others.length > 0 && (
        <ul>
          {others.slice(0, SHOWN).map((one) => (
            <li key={`${one.record} ${one.id}`}>
              <div className="row">
                <span>
                  {words.records[one.record][0]} <code title={one.id}>{shortened(one.id)}</code>
                </span>
                {erased.includes(one.id) ? (
                  <span role="status">{credentials.erasedAt}</span>
                ) : (
                  <button type="button" className="danger" onClick={() => setAsking(one)}>
                    {words.erase}
                  </button>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {asking !== undefined && (
        <Confirmation
          title={words.eraseTitle}
          text={words.eraseOther}
          action={words.erase}
          act={async () => {
            await eraseClaims(asking)
            setErased((before) => [...before, asking.id])
          }}
          changes="audit"
          onClose={() => setAsking(undefined)}
        />
      )}
    </Panel>
  )
}
