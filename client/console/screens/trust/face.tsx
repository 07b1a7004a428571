import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormProvider } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import { changeFace, type ListedSigner, type SignerKind } from '../../queries/trust.js'
import { useFaceTexts } from '../../texts/faces/use-face-texts.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { FaceFields } from './face-fields.js'
import { changeOf, type Face, type FaceForm, faceField, formOf } from './face-form.js'
import { FacePreview } from './face-preview.js'

const CONFLICT = 409

interface Props {
  readonly kind: SignerKind
  readonly signer: ListedSigner
}

/** A form that changes what people see of a record: its names, logos, colours, contact and links. */
export function FacePanel({ kind, signer }: Props) {
  const { face: words } = useFaceTexts()
  const client = useQueryClient()
  const { display, branding } = signer
  // What the user saw. With values that were read later, saving would silently undo a change of another user.
  const kept = useKeptForm<FaceForm, Face>(`trust/face/${signer.id}`, { display, branding }, formOf)
  const { form, base: before } = kept
  const [others, setOthers] = useState<readonly string[]>([])
  const saving = useMutation({
    mutationFn: (values: FaceForm) => changeFace(kind, signer.id, changeOf(values, before)),
    onSuccess: async (changed) => {
      kept.beginWith({ display: changed.display, branding: changed.branding })
      await Promise.all(['trust', 'agent'].map((subject) => client.invalidateQueries({ queryKey: [subject] })))
    },
    onError: (error) => {
      const values = form.getValues()
      const { byField, others: rest } = sortMessages(problemOf(error).messages, (path) => faceField(path, values))
      setOthers(rest)
      // `faceField` returns only names of fields.
      for (const [field, message] of byField) form.setError(field as 'email', { message }, { shouldFocus: true })
      if (problemOf(error).status === CONFLICT) void client.invalidateQueries({ queryKey: ['trust'] })
    },
  })
  const hasConflict = saving.isError && problemOf(saving.error).status === CONFLICT
  const takeTheirs = () => {
    kept.startAnew()
    saving.reset()
  }
  return (
    <Panel title={words.title} intro={words.intro}>
      <FormProvider {...form}>
        <form
          className="fields"
          noValidate
          onSubmit={(event) => void form.handleSubmit((d) => saving.mutate(d))(event)}
        >
          <Restored {...kept} />
          {hasConflict ? (
            <div className="note" role="alert">
              <p>{words.changedMeanwhile}</p>
              <p>{words.changedAdvice}</p>
              <p>
                <button type="button" onClick={takeTheirs}>
                  {words.showTheirs}
                </button>
              </p>
            </div>
          ) : (
            saving.isError && <ProblemNote error={saving.error} messages={others} />
          )}
          <FaceFields />
          <FacePreview signer={signer} />
          <p className="row">
            <button type="submit" disabled={saving.isPending}>
              {words.save}
            </button>
            <span role="status" className="good">
              {saving.isSuccess && !form.formState.isDirty && words.saved}
            </span>
          </p>
        </form>
      </FormProvider>
    </Panel>
  )
}
