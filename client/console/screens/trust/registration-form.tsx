import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { problemOf, sortMessages } from '../../problems.js'
import { addRegistration, type SignerKind } from '../../queries/trust.js'
import { useRegistrationTexts } from '../../texts/registrations/use-registration-texts.js'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { FileButton } from '../../ui/file-button.js'
import { MAX_FILE_BYTES, textOfFile } from '../../ui/file-text.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { ProblemNote } from '../../ui/problem-note.js'

const CONFLICT = 409

interface Props {
  readonly kind: SignerKind
  /** The id of the record. */
  readonly id: string
}

/** A form that adds a registration certificate: as text, or from a file. */
export function RegistrationForm({ kind, id }: Props) {
  const { form: formWords } = useTexts()
  const { certificates: words } = useRegistrationTexts()
  const client = useQueryClient()
  const [others, setOthers] = useState<readonly string[]>([])
  const kept = useKeptForm(`trust/registration/${kind}/${id}`, undefined, () => ({ certificate: '' }))
  const { form } = kept
  const adding = useMutation({
    mutationFn: ({ certificate }: { certificate: string }) => addRegistration(kind, id, certificate.trim()),
    onSuccess: async () => {
      kept.startAnew()
      await client.invalidateQueries({ queryKey: ['trust'] })
    },
    onError: (error) => {
      const { status, messages } = problemOf(error)
      const { byField, others: rest } = sortMessages(messages, (path) => (path === 'certificate' ? path : undefined))
      // A conflict is about the certificate too, although its sentence does not name the field.
      const isConflict = status === CONFLICT
      setOthers(isConflict ? [] : rest)
      const message = byField.get('certificate') ?? (isConflict ? rest.join(' ') : undefined)
      if (message !== undefined) form.setError('certificate', { message }, { shouldFocus: true })
    },
  })
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > MAX_FILE_BYTES) form.setError('certificate', { message: words.tooLarge })
    else form.setValue('certificate', await textOfFile(file), { shouldValidate: true, shouldDirty: true })
  }
  return (
    <form
      className="fields"
      noValidate
      onSubmit={(event) => void form.handleSubmit((draft) => adding.mutate(draft))(event)}
    >
      <Restored {...kept} />
      {adding.isError && <ProblemNote error={adding.error} messages={others} />}
      <Field label={words.text} hint={words.textHint} required error={form.formState.errors.certificate?.message}>
        {(control) => (
          <textarea
            {...control}
            {...form.register('certificate', {
              validate: (text: string) => text.trim() !== '' || formWords.required,
            })}
            className="pem"
            rows={6}
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </Field>
      <p>
        <FileButton onChosen={(file) => void take(file)}>{words.file}</FileButton>
      </p>
      <p className="row">
        <button type="submit" className="primary" disabled={adding.isPending}>
          {words.addIt}
        </button>
        <span role="status" className="good">
          {adding.isSuccess && words.added}
        </span>
      </p>
    </form>
  )
}
