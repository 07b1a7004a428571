import { useMutation } from '@tanstack/react-query'
import { type DragEvent, useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { problemOf, sortMessages } from '../../../problems.js'
import type { ToExplain } from '../../../queries/trust-lists.js'
import { credence } from '../../../service.js'
import { useTrustListTexts } from '../../../texts/trust-lists/use-trust-list-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Field } from '../../../ui/field.js'
import { FileButton } from '../../../ui/file-button.js'
import { MAX_FILE_BYTES, textOfFile } from '../../../ui/file-text.js'
import { forgetHanded, type Handed, handedOver } from '../../../ui/kept/handed-over.js'
import { Panel } from '../../../ui/panel.js'
import { ProblemNote } from '../../../ui/problem-note.js'
import { Screen } from '../../../ui/screen.js'
import { LIST_CHOICES } from '../lists/list-form.js'
import { Sections } from '../sections.js'
import { Explanation } from './explanation.js'
import { givenIn } from './given.js'

const NOTHING: Handed = { given: '', purpose: 'credentials', type: '' }

const inputOf = ({ given, purpose, type }: Handed): ToExplain => ({
  ...givenIn(given),
  purpose,
  ...(type.trim() === '' ? {} : { type: type.trim() }),
})

const fieldOf = (path: string): 'given' | 'type' | undefined =>
  path === 'credential' || path === 'certificate' ? 'given' : path === 'type' ? 'type' : undefined

/** Explains why an issuer is trusted or not: for a credential, or for certificates. */
export function ExplainTrust() {
  const { trust, form: formWords, verify } = useTexts()
  const { explain: words, lists } = useTrustListTexts()
  const [handed] = useState(handedOver)
  const { register, handleSubmit, setValue, setError, formState, reset } = useForm<Handed>({
    defaultValues: handed ?? NOTHING,
  })
  const [others, setOthers] = useState<readonly string[]>([])
  const [isOver, setOver] = useState(false)
  const explaining = useMutation({
    mutationFn: (asked: Handed) => credence.trustLists.explain.mutate(inputOf(asked)),
    onError: (error) => {
      const { byField, others: rest } = sortMessages(problemOf(error).messages, fieldOf)
      setOthers(rest)
      for (const [path, message] of byField)
        setError(path === 'type' ? 'type' : 'given', { message }, { shouldFocus: true })
    },
  })
  const { mutate: explain } = explaining
  // What another screen hands over is explained at once. React may run an effect twice, and only the last run explains.
  useEffect(() => {
    if (handed === undefined) return undefined
    const timer = setTimeout(() => {
      forgetHanded()
      explain(handed)
    })
    return () => clearTimeout(timer)
  }, [handed, explain])
  const submit = handleSubmit((asked) => explain(asked))
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    explaining.reset()
    if (file.size > MAX_FILE_BYTES) {
      setError('given', { message: verify.tooLarge })
      return
    }
    setValue('given', await textOfFile(file), { shouldValidate: true })
    await submit()
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }
  const { errors } = formState
  return (
    <Screen title={trust.explain} intro={words.intro}>
      <Sections />
      <div className="panels">
        <Panel title={words.given}>
          <form
            className="fields"
            noValidate
            onSubmit={(event) => void submit(event)}
            onDragOver={(event) => {
              event.preventDefault()
              setOver(true)
            }}
            onDragLeave={() => setOver(false)}
            onDrop={drop}
          >
            <Field label={words.given} hint={words.hint} required error={errors.given?.message}>
              {(control) => (
                <textarea
                  {...control}
                  {...register('given', { validate: (value) => value.trim() !== '' || formWords.required })}
                  className={isOver ? 'pem dropping' : 'pem'}
                  rows={10}
                  spellCheck={false}
                  autoComplete="off"
                />
              )}
            </Field>
            <Field label={words.purpose} required>
              {(control) => (
                <select {...control} {...register('purpose')}>
                  {LIST_CHOICES.purposes.map((purpose) => (
                    <option key={purpose} value={purpose}>
                      {lists.purposes[purpose]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field label={words.type} hint={words.typeHint} error={errors.type?.message}>
              {(control) => <input {...control} {...register('type')} autoComplete="off" spellCheck={false} />}
            </Field>
            <div className="row">
              <button type="submit" className="primary" disabled={explaining.isPending}>
                {words.explain}
              </button>
              <FileButton onChosen={(file) => void take(file)}>{verify.choose}</FileButton>
              <button
                type="button"
                className="quiet"
                onClick={() => {
                  reset(NOTHING)
                  explaining.reset()
                }}
              >
                {verify.clear}
              </button>
            </div>
          </form>
          <p className="soft">{words.notHere}</p>
        </Panel>
        <Panel title={words.result}>
          {explaining.isError && <ProblemNote error={explaining.error} messages={others} />}
          <div role="status" className="fields">
            {explaining.data === undefined ? (
              !explaining.isError && <p className="soft">{words.waiting}</p>
            ) : (
              <Explanation explained={explaining.data} />
            )}
          </div>
        </Panel>
      </div>
    </Screen>
  )
}
