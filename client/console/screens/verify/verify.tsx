import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type DragEvent, useState } from 'react'
import { useForm } from 'react-hook-form'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { FileButton } from '../../ui/file-button.js'
import { MAX_FILE_BYTES, textOfFile } from '../../ui/file-text.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { Screen } from '../../ui/screen.js'
import { ToExplain } from '../trust/explain/to-explain.js'
import { Verdict } from './verdict.js'

/** Checks a received credential: pasted, dropped, or from a file. */
export function Verify() {
  const { verify: words, form: formWords, nav } = useTexts()
  const { register, handleSubmit, setValue, setError, formState, reset } = useForm({
    defaultValues: { credential: '' },
  })
  const [isOver, setOver] = useState(false)
  const checking = useMutation({
    // E-mail programs add line breaks to a credential.
    mutationFn: (credential: string) =>
      credence.verify.checks.mutate({ credential: credential.replaceAll(/\s+/g, '') }),
  })
  const check = (credential: string) => checking.mutate(credential)
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    checking.reset()
    if (file.size > MAX_FILE_BYTES) {
      setError('credential', { message: words.tooLarge })
      return
    }
    const text = await textOfFile(file)
    setValue('credential', text, { shouldValidate: true })
    if (text !== '') check(text)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }
  const error = formState.errors.credential?.message
  return (
    <Screen title={nav.verify} intro={words.intro}>
      <div className="panels">
        <Panel title={words.given}>
          <form
            className="fields"
            noValidate
            onSubmit={(event) => void handleSubmit(({ credential }) => check(credential))(event)}
            onDragOver={(event) => {
              event.preventDefault()
              setOver(true)
            }}
            onDragLeave={() => setOver(false)}
            onDrop={drop}
          >
            <Field label={words.credential} hint={words.hint} required error={error}>
              {(props) => (
                <textarea
                  {...props}
                  {...register('credential', { validate: (value) => value.trim() !== '' || formWords.required })}
                  className={isOver ? 'code dropping' : 'code'}
                  spellCheck={false}
                  autoComplete="off"
                />
              )}
            </Field>
            <div className="row">
              <button type="submit" className="primary" disabled={checking.isPending}>
                {words.check}
              </button>
              <FileButton onChosen={(file) => void take(file)}>{words.choose}</FileButton>
              <button
                type="button"
                className="quiet"
                onClick={() => {
                  reset()
                  checking.reset()
                }}
              >
                {words.clear}
              </button>
            </div>
          </form>
        </Panel>
        <Panel title={words.result}>
          {checking.isError && <ProblemNote error={checking.error} />}
          <div role="status" className="fields">
            {checking.data === undefined ? (
              !checking.isError && <p className="soft">{words.waiting}</p>
            ) : (
              <Verdict answer={checking.data} />
            )}
          </div>
          <p className="soft">
            {words.notHeld} <Link to="/requests/new-request">{words.toRequest}</Link>
          </p>
          {checking.variables !== undefined && <ToExplain credential={checking.variables} />}
        </Panel>
      </div>
    </Screen>
  )
}
