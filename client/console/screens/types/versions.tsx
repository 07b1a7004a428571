import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { TypeVersion } from '../../queries/types.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Dialog } from '../../ui/dialog.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'

/** All versions of a type, each to be withdrawn. */
export function Versions({ versions }: { readonly versions: readonly TypeVersion[] }) {
  const { types: words, common } = useTexts()
  const [asked, setAsked] = useState<TypeVersion>()
  const client = useQueryClient()
  const withdraw = useMutation({
    mutationFn: ({ id }: TypeVersion) => credence.schemas.withdraw.mutate({ schemaId: id }),
    onSuccess: async () => {
      setAsked(undefined)
      await client.invalidateQueries({ queryKey: ['types'] })
    },
  })
  const close = () => {
    withdraw.reset()
    setAsked(undefined)
  }
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
        <Dialog title={words.withdrawVersion(asked.version)} onClose={close}>
          <p>{words.withdrawText}</p>
          {withdraw.isError && <ProblemNote error={withdraw.error} />}
          <div className="row">
            <button
              type="button"
              className="danger"
              disabled={withdraw.isPending}
              onClick={() => withdraw.mutate(asked)}
            >
              {words.withdraw}
            </button>
            <button type="button" onClick={close}>
              {common.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
