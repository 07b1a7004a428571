import { useState } from 'react'
import type { TypeVersion } from '../../queries/shapes.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Confirmation } from '../../ui/confirmation.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Tag } from '../../ui/tag.js'
import { useMay } from '../../ui/use-may.js'

/** All versions of a type. Each can be withdrawn. */
export function Versions({ versions }: { readonly versions: readonly TypeVersion[] }) {
  const { types: words } = useTexts()
  const [asked, setAsked] = useState<TypeVersion>()
  const may = useMay()
  return (
    <>
      <ul className="plain records">
        {versions.map((version) => (
          <li key={version.id}>
            <strong>{words.version(version.version)}</strong>
            <Tag tone={version.active ? 'good' : version.withdrawn ? 'ended' : 'plain'}>
              {version.active ? words.active : version.withdrawn ? words.withdrawn : words.superseded}
            </Tag>
            <span className="soft">
              {words.published} <RelativeTime at={version.createdAt} />
            </span>
            {version.withdrawn !== true && may.call('schemas.withdraw') && (
              <button
                type="button"
                className="quiet danger"
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
