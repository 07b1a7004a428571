import { useState } from 'react'
import type { TypeVersion } from '../../queries/types.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Confirmation } from '../../ui/confirmation.js'
import { RelativeTime } from '../../ui/relative-time.js'

/** All versions of a type. Each can be withdrawn. */
export function Versions({ versions }: { readonly versions: readonly TypeVersion[] }) {
  const { types: words } = useTexts()
  const [asked, setAsked] = useState<TypeVersion>()
  return (
    <>
      <ul className="plain records">
        {versions.map((version) => (
          <li key={version.id}>
            <strong>{words.version(version.version)}</strong>
            <span className={version.active ? 'tag good' : 'tag'}>
              {version.active ? words.active : version.withdrawn ? words.withdrawn : words.superseded}
            </span>
            <span className="soft">
              {words.published} <RelativeTime at={version.createdAt} />
            </span>
            {version.withdrawn !== true && (
              <button
                type="button"
                className="quiet"
                aria-label={words.withdrawVersion(version.version)}
                onClick={() => setAsked(version)}
              >
                {words.withdraw}
              </button>
            )}
          </li>
        ))}
      </ul>
      {asked !== undefined && (
        <Confirmation
          title={words.withdrawVersion(asked.version)}
          text={words.withdrawText}
          action={words.withdraw}
          act={() => credence.schemas.withdraw.mutate({ schemaId: asked.id })}
          changes="types"
          isGone={!versions.some(({ id, withdrawn }) => id === asked.id && withdrawn !== true)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}
