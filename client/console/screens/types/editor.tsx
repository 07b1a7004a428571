import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import type { TypeVersion } from '../../queries/types.js'
import { credence } from '../../service.js'
import { useSpoken } from '../../texts/use-texts.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { About } from './about.js'
import { claimNamesOfDraft, draftOf, fieldOfPath, newVersion, schemaOfDraft, type TypeDraft } from './draft.js'
import { DraftCard } from './draft-card.js'
import { SchemaEditor } from './schema-editor.js'

interface Props {
  /** The previous version; undefined for a new type. */
  readonly before: TypeVersion | undefined
  readonly onPublished: (version: TypeVersion) => void
}

const CONFLICT = 409

/** Edits a credential type beside a preview of its card, and publishes it. */
export function Editor({ before: given, onPublished }: Props) {
  // The version that the user saw. With a version that was read later, publishing would silently undo the version of
  // another user.
  const [before] = useState(given)
  const { language, texts } = useSpoken()
  const { types: words, form: formWords } = texts
  const client = useQueryClient()
  const form = useForm<TypeDraft>({ defaultValues: draftOf(before, language) })
  const [others, setOthers] = useState<readonly string[]>([])
  const publish = useMutation({
    mutationFn: (input: ReturnType<typeof newVersion>) => credence.schemas.create.mutate(input),
    onSuccess: async (version) => {
      await client.invalidateQueries({ queryKey: ['types'] })
      onPublished(version)
    },
    onError: (error) => {
      const { byField, others: rest } = sortMessages(problemOf(error).messages, (path) =>
        fieldOfPath(path, form.getValues()),
      )
      setOthers(rest)
      for (const [field, message] of byField) form.setError(field as 'name', { message }, { shouldFocus: true })
    },
  })
  const submit = form.handleSubmit((draft) => {
    const schema = schemaOfDraft(draft)
    const claims = claimNamesOfDraft(draft)
    if (schema === undefined) form.setError('json', { message: formWords.wrongJson }, { shouldFocus: true })
    else if (claims === undefined) form.setError('claimsJson', { message: words.namesWrong }, { shouldFocus: true })
    else publish.mutate(newVersion(draft, schema, claims, before))
  })
  const hasConflict = publish.isError && problemOf(publish.error).status === CONFLICT
  return (
    <FormProvider {...form}>
      <form className="beside editor" noValidate onSubmit={(event) => void submit(event)}>
        <div className="fields">
          {publish.isError && <ProblemNote error={publish.error} messages={others} />}
          {hasConflict && <p className="note">{before === undefined ? words.nameTaken : words.changedMeanwhile}</p>}
          <About isNew={before === undefined} />
          <SchemaEditor />
          <div className="row">
            <button type="submit" className="primary" disabled={publish.isPending}>
              {before === undefined ? words.publish : words.publishVersion(Math.floor(before.version) + 1)}
            </button>
          </div>
        </div>
        <aside aria-label={words.preview}>
          <p className="label">{words.preview}</p>
          <DraftCard />
        </aside>
      </form>
    </FormProvider>
  )
}
