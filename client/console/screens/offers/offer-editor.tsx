import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import { keepMade, type MadeOffer, makeOffer, makeOffering } from '../../queries/offers.js'
import type { Configuration, TypeVersion } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { titlesOf } from '../../ui/claim-titles.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor } from '../../ui/display-name.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { controlsOf, planOf, subjectOf } from '../../ui/schema-form/plan.js'
import { SchemaFields } from '../../ui/schema-form/schema-fields.js'
import { fieldOfPath, type OfferForm, offerDefaults, offeringOf, offerOf } from './offer-form.js'
import { OfferOptions } from './offer-options.js'

interface Props {
  readonly type: TypeVersion
  readonly configurations: readonly Configuration[]
}

interface Filled {
  readonly form: OfferForm
  readonly subject: Readonly<Record<string, unknown>>
}

/** The claims of one credential, and the options of its offer. */
export function OfferEditor({ type, configurations }: Props) {
  const { language, texts } = useSpoken()
  const { offers: words, form: formWords } = texts
  const client = useQueryClient()
  const navigate = useNavigate()
  const parts = useMemo(() => planOf(type.schemaBody, titlesOf(type, language)), [type, language])
  const form = useForm<OfferForm>({ defaultValues: offerDefaults(configurations) })
  const [others, setOthers] = useState<readonly string[]>([])
  const make = useMutation({
    mutationFn: ({ form: filled, subject }: Filled): Promise<MadeOffer> =>
      Number(filled.limit) === 1
        ? makeOffer(offerOf(filled, subject), type.name)
        : makeOffering(offeringOf(filled, type.name, subject, new Date()), Number(filled.limit)),
    onSuccess: (made) => {
      keepMade(client, made)
      void navigate({ to: '/offers/$id', params: { id: made.id } })
    },
    onError: (error) => {
      const controls = controlsOf(parts)
      const sorted = sortMessages(problemOf(error).messages, (path) => fieldOfPath(path, controls))
      setOthers(sorted.others)
      for (const [field, message] of sorted.byField)
        form.setError(field as 'claims', { message }, { shouldFocus: true })
    },
  })
  const submit = form.handleSubmit((filled) => {
    const { subject, faults } = subjectOf(parts, filled.claims)
    const messages = { required: formWords.required, number: formWords.number, json: formWords.wrongJson }
    for (const [at, [field, fault]] of [...faults].entries())
      form.setError(`claims.${field}`, { message: messages[fault] }, { shouldFocus: at === 0 })
    if (faults.size === 0) make.mutate({ form: filled, subject })
  })
  return (
    <FormProvider {...form}>
      <form className="beside" noValidate onSubmit={(event) => void submit(event)}>
        <div className="fields">
          {make.isError && <ProblemNote error={make.error} messages={others} />}
          <Panel title={words.claims}>
            <SchemaFields parts={parts} />
          </Panel>
          <OfferOptions configurations={configurations} />
          {type.mdoc !== undefined && !configurations.some(({ format }) => format === 'mso_mdoc') && (
            <p className="note">{words.noMdoc}</p>
          )}
          <div className="row">
            <button type="submit" className="primary" disabled={make.isPending}>
              {words.create}
            </button>
          </div>
        </div>
        <aside aria-label={texts.types.preview}>
          <FilledCard type={type} typed={form.watch('claims')} parts={parts} />
        </aside>
      </form>
    </FormProvider>
  )
}

interface CardProps {
  readonly type: TypeVersion
  readonly typed: OfferForm['claims']
  readonly parts: ReturnType<typeof planOf>
}

function FilledCard({ type, typed, parts }: CardProps) {
  const { language } = useSpoken()
  const look = entryFor(type.display ?? [], language)
  return (
    <CredentialCard
      title={look?.name ?? type.title ?? type.name}
      backgroundColor={look?.background_color}
      textColor={look?.text_color}
      claims={controlsOf(parts).map((control) => {
        const value = typed[control.field]
        const shown = control.kind === 'choice' && value !== '' ? control.choices[Number(value)] : value
        return {
          key: control.field,
          title: control.title,
          ...(shown === undefined || shown === '' ? {} : { value: String(shown) }),
        }
      })}
    />
  )
}
