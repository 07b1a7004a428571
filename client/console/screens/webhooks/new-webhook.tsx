import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { problemOf, sortMessages } from '../../problems.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { SecretDialog } from './secret.js'

const FIELDS = ['url', 'events', 'description'] as const

interface Draft {
  readonly url: string
  /** Names of events, separated by spaces or commas. */
  readonly events: string
  readonly description: string
  readonly payload: 'thin' | 'full'
  readonly signature: 'v1' | 'v1a'
}

const EMPTY: Draft = { url: '', events: '*', description: '', payload: 'thin', signature: 'v1' }

const inputOf = ({ url, events, description, payload, signature }: Draft) => ({
  url: url.trim(),
  events: events.split(/[\s,]+/).filter((event) => event !== ''),
  ...(description.trim() === '' ? {} : { description: description.trim() }),
  payload,
  signature,
})

/** A form that creates a webhook, and then shows its secret. */
export function NewWebhookForm() {
  const { webhooks: words, form: formWords } = useTexts()
  const client = useQueryClient()
  const [others, setOthers] = useState<readonly string[]>([])
  const [secret, setSecret] = useState<string>()
  const kept = useKeptForm<Draft, undefined>('webhooks', undefined, () => EMPTY)
  const { form } = kept
  const creating = useMutation({
    mutationFn: (draft: Draft) => credence.webhooks.create.mutate(inputOf(draft)),
    onSuccess: async (made) => {
      setSecret(made.secret)
      kept.startAnew()
      await client.invalidateQueries({ queryKey: ['webhooks'] })
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
  const needed = { validate: (text: string) => text.trim() !== '' || formWords.required }
  return (
    <>
      <form
        className="fields"
        noValidate
        onSubmit={(event) => void form.handleSubmit((draft) => creating.mutate(draft))(event)}
      >
        <Restored {...kept} />
        {creating.isError && <ProblemNote error={creating.error} messages={others} />}
        <Field label={words.url} hint={words.urlHint} required error={errors.url?.message}>
          {(control) => (
            <input {...control} {...form.register('url', needed)} type="url" autoComplete="off" spellCheck={false} />
          )}
        </Field>
        <Field label={words.events} hint={words.eventsHint} required error={errors.events?.message}>
          {(control) => (
            <input {...control} {...form.register('events', needed)} autoComplete="off" spellCheck={false} />
          )}
        </Field>
        <Field label={words.description} error={errors.description?.message}>
          {(control) => <input {...control} {...form.register('description')} autoComplete="off" />}
        </Field>
        <Field label={words.payload} hint={words.payloadHint} required>
          {(control) => (
            <select {...control} {...form.register('payload')}>
              <option value="thin">{words.payloads.thin}</option>
              <option value="full">{words.payloads.full}</option>
            </select>
          )}
        </Field>
        <Field label={words.signature} required>
          {(control) => (
            <select {...control} {...form.register('signature')}>
              <option value="v1">{words.signatures.v1}</option>
              <option value="v1a">{words.signatures.v1a}</option>
            </select>
          )}
        </Field>
        <p>
          <button type="submit" className="primary" disabled={creating.isPending}>
            {words.create}
          </button>
        </p>
      </form>
      {secret !== undefined && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}
