import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { FormProvider } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import { approveOffer, type DecisionOutcome, type OfferAgain } from '../../queries/offers.js'
import type { TypeVersion } from '../../queries/shapes.js'
import { typeVersions } from '../../queries/types.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { titledClaims, titlesOf } from '../../ui/claim-titles.js'
import { Fact } from '../../ui/fact.js'
import { draftOf } from '../../ui/kept/drafts.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { controlsOf, type JsonObject, planOf, subjectOf } from '../../ui/schema-form/plan.js'
import { type ClaimsForm, SchemaFields } from '../../ui/schema-form/schema-fields.js'
import { correctedSubject, typedOf } from '../../ui/schema-form/typed.js'
import { typeOfConfiguration } from '../../ui/type-of-configuration.js'
import { useReader } from '../../ui/use-values.js'
import { Decision } from './decision.js'
import { fieldOfPath } from './offer-form.js'
import { RejectDialog } from './reject-dialog.js'
import { UndecidedNote } from './undecided-note.js'

interface Props {
  readonly offer: OfferAgain & { readonly credentialSubject: JsonObject }
  /** Whether a wallet waits. The user may decide before a wallet comes too. */
  readonly waits: boolean
}

/** The name of the offered type. */
const typeNameOf = ({ credentialConfigurationIds: [first = ''] }: OfferAgain): string => typeOfConfiguration(first)

const activeOf = (versions: readonly TypeVersion[]): TypeVersion | undefined =>
  versions.find((version) => version.active) ?? versions[0]

/** The key under which the console keeps a correction. The fields belong to the version of the type. */
const correctionKey = ({ id }: OfferAgain, type: TypeVersion): string => `offers/corrected/${id}/${type.id}`

/** A deferred offer before its decision: its claims, and the buttons of the decision. */
export function Undecided({ offer, waits }: Props) {
  const { offers: words } = useTexts()
  const reader = useReader()
  const { id, credentialSubject } = offer
  const versions = useQuery(typeVersions(typeNameOf(offer)))
  const active = activeOf(versions.data ?? [])
  const [isCorrecting, setCorrecting] = useState(false)
  // A correction that was begun on an earlier visit goes on.
  if (!isCorrecting && active !== undefined && draftOf(correctionKey(offer, active)) !== undefined) setCorrecting(true)
  const [isRejecting, setRejecting] = useState(false)
  const [failed, setFailed] = useState<readonly DecisionOutcome[]>([])
  return (
    <Panel title={words.claimsOf} intro={waits ? words.waiting : undefined}>
      <UndecidedNote failed={failed} />
      {isCorrecting ? (
        <Corrected offer={offer} />
      ) : (
        <>
          <dl>
            {titledClaims(credentialSubject, active, reader).map(({ key, title, value }) => (
              <Fact key={key} name={title}>
                {value}
              </Fact>
            ))}
          </dl>
          <Decision id={id} onReject={() => setRejecting(true)} />
          <p className="row">
            <button type="button" onClick={() => setCorrecting(true)}>
              {words.correct}
            </button>
          </p>
        </>
      )}
      {isRejecting && <RejectDialog ids={[id]} onDone={setFailed} onClose={() => setRejecting(false)} />}
    </Panel>
  )
}

function Corrected({ offer }: Pick<Props, 'offer'>) {
  return (
    <Asked query={useQuery(typeVersions(typeNameOf(offer)))}>
      {(versions) => {
        const active = activeOf(versions)
        return active === undefined ? null : <CorrectedForm key={active.id} offer={offer} type={active} />
      }}
    </Asked>
  )
}

/** A form with the claims of the offer. The offer is approved with the corrected claims. */
function CorrectedForm({ offer, type }: Pick<Props, 'offer'> & { readonly type: TypeVersion }) {
  const { language, texts } = useSpoken()
  const { offers: words, form: formWords } = texts
  const client = useQueryClient()
  const parts = useMemo(() => planOf(type.schemaBody, titlesOf(type, language)), [type, language])
  const kept = useKeptForm<ClaimsForm, JsonObject>(correctionKey(offer, type), offer.credentialSubject, (subject) => ({
    claims: typedOf(parts, subject),
  }))
  const { form } = kept
  const [others, setOthers] = useState<readonly string[]>([])
  const approve = useMutation({
    mutationFn: (subject: Record<string, unknown>) => approveOffer(client, offer.id, subject),
    onSuccess: kept.done,
    onError: (error) => {
      const controls = controlsOf(parts)
      const sorted = sortMessages(problemOf(error).messages, (path) => fieldOfPath(path, controls))
      setOthers(sorted.others)
      for (const [field, message] of sorted.byField)
        form.setError(field as 'claims', { message }, { shouldFocus: true })
    },
  })
  const submit = form.handleSubmit(({ claims }) => {
    const { subject, faults } = subjectOf(parts, claims)
    const messages = { required: formWords.required, number: formWords.number, json: formWords.wrongJson }
    for (const [at, [field, fault]] of [...faults].entries())
      form.setError(`claims.${field}`, { message: messages[fault] }, { shouldFocus: at === 0 })
    if (faults.size === 0) approve.mutate(correctedSubject(parts, kept.base, subject))
  })
  return (
    <FormProvider {...form}>
      <form className="fields" noValidate onSubmit={(event) => void submit(event)}>
        <Restored {...kept} />
        {approve.isError && <ProblemNote error={approve.error} messages={others} />}
        <SchemaFields parts={parts} />
        <div className="row">
          <button type="submit" className="primary" disabled={approve.isPending}>
            {words.approveCorrected}
          </button>
        </div>
      </form>
    </FormProvider>
  )
}
