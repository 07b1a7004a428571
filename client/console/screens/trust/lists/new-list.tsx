import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { problemOf, sortMessages } from '../../../problems.js'
import { slowCredence } from '../../../service.js'
import { useTrustListTexts } from '../../../texts/trust-lists/use-trust-list-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { Field } from '../../../ui/field.js'
import { FileButton } from '../../../ui/file-button.js'
import { MAX_FILE_BYTES, pemOf, textOfFile } from '../../../ui/file-text.js'
import { Restored } from '../../../ui/kept/restored.js'
import { useKeptForm } from '../../../ui/kept/use-kept.js'
import { ProblemNote } from '../../../ui/problem-note.js'
import {
  EMPTY_LIST,
  hasProfile,
  hasServiceTypes,
  hasTypes,
  LIST_CHOICES,
  LIST_FIELDS,
  type ListForm,
  listField,
  listInput,
} from './list-form.js'

/** A form that adds a trusted list, and then opens the screen of the list. */
export function NewListForm() {
  const { form: formWords } = useTexts()
  const { lists: words } = useTrustListTexts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [others, setOthers] = useState<readonly string[]>([])
  const kept = useKeptForm<ListForm, undefined>('trust/lists', undefined, () => EMPTY_LIST)
  const { form } = kept
  const adding = useMutation({
    mutationFn: (draft: ListForm) => slowCredence.trustLists.add.mutate(listInput(draft)),
    onSuccess: async ({ id }) => {
      kept.startAnew()
      await client.invalidateQueries({ queryKey: ['trust'] })
      await navigate({ to: '/trust/lists/$id', params: { id } })
    },
    onError: (error, draft) => {
      const { byField, others: rest } = sortMessages(problemOf(error).messages, (path) => listField(path, draft))
      setOthers(rest)
      const wrong = LIST_FIELDS.filter((field) => byField.has(field))
      for (const field of wrong)
        form.setError(field, { message: byField.get(field) ?? '' }, { shouldFocus: field === wrong[0] })
    },
  })
  const { errors } = form.formState
  const [kind, purpose, signerBy] = form.watch(['kind', 'purpose', 'signerBy'])
  const needed = { validate: (text: string) => text.trim() !== '' || formWords.required }
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const pem = file.size > MAX_FILE_BYTES ? '' : pemOf(await textOfFile(file))
    if (pem.includes('-----BEGIN CERTIFICATE-----'))
      form.setValue('pem', pem, { shouldValidate: true, shouldDirty: true })
    else form.setError('pem', { message: words.noPem })
  }
  return (
    <form
      className="fields"
      noValidate
      onSubmit={(event) => void form.handleSubmit((draft) => adding.mutate(draft))(event)}
    >
      <Restored {...kept} />
      {adding.isError && <ProblemNote error={adding.error} messages={others} />}
      <Field label={words.url} hint={words.urlHint} required error={errors.url?.message}>
        {(control) => (
          <input {...control} {...form.register('url', needed)} type="url" autoComplete="off" spellCheck={false} />
        )}
      </Field>
      <div className="columns">
        <Field label={words.kind} required error={errors.kind?.message}>
          {(control) => (
            <select {...control} {...form.register('kind')}>
              {LIST_CHOICES.kinds.map((each) => (
                <option key={each} value={each}>
                  {words.kinds[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {hasProfile({ kind }) && (
          <Field label={words.profile} required error={errors.profile?.message}>
            {(control) => (
              <select {...control} {...form.register('profile')}>
                <option value="">{words.anyProfile}</option>
                {LIST_CHOICES.profiles.map((each) => (
                  <option key={each} value={each}>
                    {words.profiles[each]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
      </div>
      <Field label={words.purpose} hint={words.purposeHint} required error={errors.purpose?.message}>
        {(control) => (
          <select {...control} {...form.register('purpose')}>
            {LIST_CHOICES.purposes.map((each) => (
              <option key={each} value={each}>
                {words.purposes[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {hasTypes({ purpose }) && (
        <Field label={words.types} hint={words.typesHint} error={errors.types?.message}>
          {(control) => (
            <textarea {...control} {...form.register('types')} rows={2} autoComplete="off" spellCheck={false} />
          )}
        </Field>
      )}
      {hasServiceTypes({ kind }) && (
        <Field label={words.serviceTypes} hint={words.serviceTypesHint} error={errors.serviceTypes?.message}>
          {(control) => (
            <textarea {...control} {...form.register('serviceTypes')} rows={2} autoComplete="off" spellCheck={false} />
          )}
        </Field>
      )}
      <fieldset>
        <legend>{words.signerBy}</legend>
        <Check type="radio" value="pem" {...form.register('signerBy')}>
          {words.byPem}
        </Check>
        <Check type="radio" value="sha256" {...form.register('signerBy')}>
          {words.bySha256}
        </Check>
        {signerBy === 'pem' ? (
          <>
            <Field key="pem" label={words.pem} hint={words.pemHint} required error={errors.pem?.message}>
              {(control) => (
                <textarea
                  {...control}
                  {...form.register('pem', needed)}
                  className="pem"
                  rows={6}
                  spellCheck={false}
                  autoComplete="off"
                  placeholder="-----BEGIN CERTIFICATE-----"
                />
              )}
            </Field>
            <p>
              <FileButton onChosen={(file) => void take(file)}>{words.pemFile}</FileButton>
            </p>
          </>
        ) : (
          <Field key="sha256" label={words.sha256} hint={words.sha256Hint} required error={errors.sha256?.message}>
            {(control) => (
              <input
                {...control}
                {...form.register('sha256', needed)}
                className="pem"
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
        )}
      </fieldset>
      <div className="columns">
        <Field label={words.maxAgeField} hint={words.maxAgeHint} error={errors.maxAgeHours?.message}>
          {(control) => <input {...control} {...form.register('maxAgeHours')} inputMode="numeric" autoComplete="off" />}
        </Field>
        <Field label={words.territory} hint={words.territoryHint} error={errors.territory?.message}>
          {(control) => <input {...control} {...form.register('territory')} autoComplete="off" spellCheck={false} />}
        </Field>
      </div>
      <Field label={words.note} hint={words.noteHint} error={errors.note?.message}>
        {(control) => <input {...control} {...form.register('note')} autoComplete="off" />}
      </Field>
      <p className="row">
        <button type="submit" className="primary" disabled={adding.isPending}>
          {words.add}
        </button>
        <span role="status" className="soft">
          {adding.isPending && words.adding}
        </span>
      </p>
    </form>
  )
}
