import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { problemOf, sortMessages } from '../../problems.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { ProblemNote } from '../../ui/problem-note.js'

const FIELDS = ['issuer', 'note'] as const

/** A form that adds an issuer whose credentials presentations may contain. */
export function AddTrusted() {
  const { trust: words, form: formWords } = useTexts()
  const client = useQueryClient()
  const [others, setOthers] = useState<readonly string[]>([])
  const kept = useKeptForm('trust/trusted', undefined, () => ({ issuer: '', note: '' }))
  const { form } = kept
  const adding = useMutation({
    mutationFn: ({ issuer, note }: { issuer: string; note: string }) =>
      credence.trustedIssuers.add.mutate({
        issuer: issuer.trim(),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      }),
    onSuccess: async () => {
      kept.startAnew()
      await client.invalidateQueries({ queryKey: ['trust'] })
    },
    onError: (error) => {
      const fieldOf = (path: string) => FIELDS.find((field) => field === path)
      const { byField, others: rest } = sortMessages(problemOf(error).messages, fieldOf)
      setOthers(rest)
      for (const field of FIELDS) {
        const message = byField.get(field)
        if (message !== undefined) form.setError(field, { message }, { shouldFocus: true })
      }
    },
  })
  const { errors } = form.formState
  return (
    <form
      className="fields"
      noValidate
      onSubmit={(event) => void form.handleSubmit((draft) => adding.mutate(draft))(event)}
    >
      <Restored {...kept} />
      {adding.isError && <ProblemNote error={adding.error} messages={others} />}
      <Field label={words.whom} hint={words.whomHint} required error={errors.issuer?.message}>
        {(control) => (
          <input
            {...control}
            {...form.register('issuer', {
              validate: (issuer) => issuer.trim() !== '' || formWords.required,
            })}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <Field label={words.note} hint={words.noteHint} error={errors.note?.message}>
        {(control) => <input {...control} {...form.register('note')} autoComplete="off" />}
      </Field>
      <p>
        <button type="submit" className="primary" disabled={adding.isPending}>
          {words.addTrusted}
        </button>
      </p>
    </form>
  )
}
