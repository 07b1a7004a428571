import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { FormProvider, useFormContext } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import { keepMade, type MadeOffer, makeOffer, makeOffering } from '../../queries/offers.js'
import type { TypeVersion } from '../../queries/shapes.js'
import type { Configuration } from '../../queries/types.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { titlesOf } from '../../ui/claim-titles.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor, langOf } from '../../ui/display-name.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { Panel } from '../../ui/panel.js'
import { useIssuerNames } from '../../ui/party-names.js'
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
  const kept = useKeptForm<OfferForm, typeof configurations>(`offers/${type.id}`, configurations, (found) => ({
    ...offerDefaults(found),
    // A reset empties only the fields that it names.
    claims: Object.fromEntries(controlsOf(parts).map(({ field }) => [field, ''])),
  }))
  const { form } = kept
  const [others, setOthers] = useState<readonly string[]>([])
  const mayAsk = type.claimsSource !== undefined && form.watch('limit').trim() === '1'
  /** Only an offer for one wallet can ask the claims source. */
  const isAtIssuance = ({ atIssuance, limit }: OfferForm) => atIssuance && limit.trim() === '1'
  const make = useMutation({
    mutationFn: ({ form: filled, subject }: Filled): Promise<MadeOffer> =>
      Number(filled.limit) === 1
        ? makeOffer(offerOf(filled, subject), type.name)
        : makeOffering(offeringOf(filled, type.name, subject, new Date()), Number(filled.limit)),
    onSuccess: (made) => {
      keepMade(client, made)
      kept.done()
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
    if (isAtIssuance(filled)) return make.mutate({ form: filled, subject: {} })
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
          <Restored {...kept} />
          {make.isError && <ProblemNote error={make.error} messages={others} />}
          <Panel title={words.claims}>
            {mayAsk && <AtIssuance />}
            {!isAtIssuance(form.watch()) && <SchemaFields parts={parts} />}
          </Panel>
          <OfferOptions configurations={configurations} needsReference={isAtIssuance(form.watch())} />
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

/** The choice to ask the claims source. The source gets the reference of the offer. */
function AtIssuance() {
  const { offers: words } = useTexts()
  const { register } = useFormContext<OfferForm>()
  return <Check {...register('atIssuance')}>{words.atIssuance}</Check>
}

interface CardProps {
  readonly type: TypeVersion
  readonly typed: OfferForm['claims']
  readonly parts: ReturnType<typeof planOf>
}

function FilledCard({ type, typed, parts }: CardProps) {
  const { language } = useSpoken()
  const issuerName = useIssuerNames()
  const look = entryFor(type.display ?? [], language)
  return (
    <CredentialCard
      title={look?.name ?? type.title ?? type.name}
      titleLang={langOf(type.display, language)}
      issuer={issuerName()}
      display={look}
      claims={controlsOf(parts).map((control) => {
        const value = typed[control.field]
        const at = Number(value)
        const shown =
          control.kind === 'choice' && value !== '' ? (control.choiceTitles?.[at] ?? control.choices[at]) : value
        return {
          key: control.field,
          title: control.title,
          ...(shown === undefined || shown === '' ? {} : { value: String(shown) }),
        }
      })}
    />
  )
}
