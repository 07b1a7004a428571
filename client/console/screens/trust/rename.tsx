import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import { type ListedSigner, renameSigner, type SignerKind } from '../../queries/trust.js'
import { useTexts } from '../../texts/use-texts.js'
import { NameRows, type NamesForm } from '../../ui/name-rows.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { displayOf, nameField, namesOf } from './names.js'

const CONFLICT = 409

interface Props {
  readonly kind: SignerKind
  readonly signer: ListedSigner
}

/** A form that changes the names of a record. */
export function Rename({ kind, signer }: Props) {
  const { trust: words } = useTexts()
  const client = useQueryClient()
  // The names that the user saw. With names that were read later, saving would silently undo a change of another user.
  const [before, setBefore] = useState(signer.display)
  const form = useForm<NamesForm>({ defaultValues: { names: namesOf(before) } })
  const [others, setOthers] = useState<readonly string[]>([])
  const saving = useMutation({
    mutationFn: ({ names }: NamesForm) => renameSigner(kind, signer.id, { before, display: displayOf(names) }),
    onSuccess: async ({ display }) => {
      setBefore(display)
      form.reset({ names: namesOf(display) })
      await Promise.all(['trust', 'agent'].map((subject) => client.invalidateQueries({ queryKey: [subject] })))
    },
    onError: (error) => {
      const { names } = form.getValues()
      const { byField, others: rest } = sortMessages(problemOf(error).messages, (path) => nameField(path, names))
      setOthers(rest)
      // `nameField` returns only names of fields.
      for (const [field, message] of byField) form.setError(field as 'names.0.name', { message }, { shouldFocus: true })
      if (problemOf(error).status === CONFLICT) void client.invalidateQueries({ queryKey: ['trust'] })
    },
  })
  const hasConflict = saving.isError && problemOf(saving.error).status === CONFLICT
  const takeTheirs = () => {
    setBefore(signer.display)
    form.reset({ names: namesOf(signer.display) })
    saving.reset()
  }
  return (
    <FormProvider {...form}>
      <form className="fields" noValidate onSubmit={(event) => void form.handleSubmit((d) => saving.mutate(d))(event)}>
        {hasConflict ? (
          <div className="note" role="alert">
            <p>{words.changedMeanwhile}</p>
            <p>
              <button type="button" onClick={takeTheirs}>
                {words.showTheirs}
              </button>
            </p>
          </div>
        ) : (
          saving.isError && <ProblemNote error={saving.error} messages={others} />
        )}
        <NameRows legend={words.shownTo} />
        <p className="row">
          <button type="submit" disabled={saving.isPending}>
            {words.saveNames}
          </button>
          <span role="status" className="good">
            {saving.isSuccess && !form.formState.isDirty && words.saved}
          </span>
        </p>
      </form>
    </FormProvider>
  )
}
