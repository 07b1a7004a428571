import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { issuerRecords } from '../../queries/agent.js'
import type { TypeVersion } from '../../queries/shapes.js'
import { credence } from '../../service.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Check } from '../../ui/check.js'
import { langOf } from '../../ui/display-name.js'
import { nameOfRecord } from '../../ui/party-names.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { Tag } from '../../ui/tag.js'

/** The issuers of a type: all issuers, or only the assigned issuers. */
export function Assignments({ type }: { readonly type: TypeVersion }) {
  const { language, texts } = useSpoken()
  const { types: words } = texts
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: async ({ issuerId, assign }: { readonly issuerId: string; readonly assign: boolean }) => {
      const input = { schemaId: type.id, issuerId }
      if (assign) await credence.schemas.assign.mutate(input)
      else await credence.schemas.unassign.mutate(input)
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['types'] }),
  })
  return (
    <>
      {type.issuers.length === 0 && <p>{words.byAll}</p>}
      {change.isError && <ProblemNote error={change.error} />}
      <Asked query={useQuery(issuerRecords)}>
        {(issuers) => (
          <fieldset className="bare">
            <legend className="hidden">{words.assigned}</legend>
            {issuers.map(({ id, display, did, isDefault }) => (
              <Check
                key={id}
                checked={type.issuers.includes(id)}
                aria-disabled={change.isPending}
                onChange={({ target }) => {
                  // The box is never disabled, because a disabled box would lose the keyboard focus.
                  if (!change.isPending) change.mutate({ issuerId: id, assign: target.checked })
                }}
              >
                <span lang={langOf(display, language)} title={did}>
                  {nameOfRecord({ did, display }, language)}
                </span>{' '}
                {isDefault && <Tag>{texts.overview.byDefault}</Tag>}
              </Check>
            ))}
          </fieldset>
        )}
      </Asked>
    </>
  )
}
