import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { FormProvider, type SubmitHandler, useWatch } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import { issuerMetadata } from '../../queries/metadata.js'
import { ask, vpQuery } from '../../queries/requests.js'
import { credence } from '../../service.js'
import { useRegistrationTexts } from '../../texts/registrations/use-registration-texts.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { namesOf } from '../../ui/names.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { Screen } from '../../ui/screen.js'
import { May } from '../../ui/use-may.js'
import { type Askable, askables } from './askable.js'
import { Conditions } from './conditions.js'
import { Credentials } from './credentials.js'
import { chosenUse, isAboutRegistration, namedInQuery } from './intended-uses.js'
import { dcqlOf, isMoreThanVpQuery, vpQueryOf } from './queries-of.js'
import { reopened } from './reopen.js'
import { fieldOfPath, type RequestForm, requestDefaults, requestOf } from './request-form.js'
import { Transactions } from './transactions.js'
import { useIntendedUses } from './use-intended-uses.js'

const route = getRouteApi('/requests/new-request')

const CONFLICT = 409

/** The form of a request, beside its query. */
export function NewRequest() {
  // The form needs these texts later. They load with the screen, so that the screen does not disappear meanwhile.
  useRegistrationTexts()
  const { requests: words } = useTexts()
  const { query } = route.useSearch()
  return (
    <Screen title={words.make} intro={words.makeIntro}>
      <Asked query={useQuery(issuerMetadata)}>
        {({ credential_configurations_supported: found }) =>
          query === undefined ? (
            <Builder types={askables(found)} begun={undefined} />
          ) : (
            <Reopened key={query} id={query} types={askables(found)} />
          )
        }
      </Asked>
    </Screen>
  )
}

/** Opens a saved query: in the form, or as JSON if the form cannot show all parts of the query. */
function Reopened({ id, types }: { readonly id: string; readonly types: readonly Askable[] }) {
  const { requests: words } = useTexts()
  return (
    <Asked query={useQuery(vpQuery(id))}>
      {({ queryBody, purpose = '' }) => {
        const begun = reopened(queryBody, types)
        if (begun !== undefined) return <Builder types={types} begun={{ ...begun, purpose }} query={id} />
        return (
          <Panel title={words.saved}>
            <p className="note">{words.notShown}</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider or longer than its box is scrolled with the keyboard. */}
            <pre className="code query" tabIndex={0}>
              {JSON.stringify(queryBody, null, 2)}
            </pre>
            <Link to="/requests" className="button">
              {words.toSaved}
            </Link>
          </Panel>
        )
      }}
    </Asked>
  )
}

interface BuilderProps {
  readonly types: readonly Askable[]
  /** Initial values of the form; undefined for an empty form. */
  readonly begun: RequestForm | undefined
  /** The saved query of these values. */
  readonly query?: string
}

function Builder({ types: read, begun, query }: BuilderProps) {
  const { requests: words } = useTexts()
  // The form keeps the types with which it was opened. So no input is lost when the types are read again.
  const kept = useKeptForm<RequestForm, typeof read>(
    `requests/${query ?? ''}`,
    read,
    ([first]) => begun ?? requestDefaults(first),
  )
  const { form, base: types } = kept
  const client = useQueryClient()
  const navigate = useNavigate()
  const uses = useIntendedUses()
  const [others, setOthers] = useState<readonly string[]>([])
  const onError = (error: unknown) => {
    const { status, messages } = problemOf(error)
    const ids = dcqlOf(form.getValues()).credentials.map(({ id }) => id)
    const hasChoice = uses.length > 1
    const sorted = sortMessages(
      messages.map((message) => namedInQuery(message, ids)),
      (path) => (path === 'intendedUse' && !hasChoice ? undefined : fieldOfPath(path, form.getValues())),
    )
    // A conflict names no field. If it is about the registration certificate, the intended use is the field.
    const isOfUse = (message: string) => hasChoice && status === CONFLICT && isAboutRegistration(message)
    const ofUse = sorted.others.filter(isOfUse)
    setOthers(sorted.others.filter((message) => !isOfUse(message)))
    if (ofUse.length > 0) form.setError('intendedUse', { message: ofUse.join(' ') }, { shouldFocus: true })
    for (const [field, message] of sorted.byField)
      form.setError(field as keyof RequestForm, { message }, { shouldFocus: true })
  }
  const asking = useMutation({
    mutationFn: (filled: RequestForm) =>
      ask(client, requestOf({ ...filled, intendedUse: chosenUse(filled.intendedUse, uses) ?? '' }, dcqlOf(filled))),
    onSuccess: (id) => {
      kept.done()
      void navigate({ to: '/requests/$id', params: { id } })
    },
    onError,
  })
  const saving = useMutation({
    mutationFn: (filled: RequestForm) => {
      const { label } = namesOf(filled)
      return credence.vpQueries.create.mutate({
        query: vpQueryOf(filled),
        ...(label === undefined ? {} : { name: label }),
        ...(filled.purpose.trim() === '' ? {} : { purpose: filled.purpose.trim() }),
      })
    },
    onSuccess: (_, filled) => {
      // The saved query holds the whole form, so nothing is lost if the user leaves.
      if (!isMoreThanVpQuery(filled)) kept.done()
      return client.invalidateQueries({ queryKey: ['vp-queries'] })
    },
    onError,
  })
  const run = (then: SubmitHandler<RequestForm>) => {
    asking.reset()
    saving.reset()
    void form.handleSubmit(then)()
  }
  const failed = asking.isError ? asking.error : saving.error
  return (
    <FormProvider {...form}>
      <form
        className="beside"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          run((filled) => asking.mutate(filled))
        }}
      >
        <div className="fields">
          <Restored {...kept} />
          {failed !== null && <ProblemNote error={failed} messages={others} />}
          <Credentials types={types} />
          <Conditions uses={uses} />
          <Transactions />
          <div className="row">
            <button type="submit" className="primary" disabled={asking.isPending}>
              {words.ask}
            </button>
            <May call="vpQueries.create">
              <button type="button" disabled={saving.isPending} onClick={() => run((filled) => saving.mutate(filled))}>
                {words.save}
              </button>
            </May>
          </div>
          <div role="status">{saving.isSuccess && <Saved />}</div>
        </div>
        <aside>
          <QueryShown />
        </aside>
      </form>
    </FormProvider>
  )
}

function Saved() {
  const { requests: words } = useTexts()
  const isMore = isMoreThanVpQuery(useWatch<RequestForm>() as RequestForm)
  return (
    <p className="note">
      {words.savedNow} {isMore && `${words.savedLess} `}
      <Link to="/requests">{words.toSaved}</Link>
    </p>
  )
}

/** The query for wallets, updated with the form. */
function QueryShown() {
  const { requests: words } = useTexts()
  // Every field has an initial value, so the watched form is complete.
  const filled = useWatch<RequestForm>() as RequestForm
  const text = useMemo(() => JSON.stringify(dcqlOf(filled), null, 2), [filled])
  return (
    <Panel title={words.dcql}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider or longer than its box is scrolled with the keyboard. */}
      <pre className="code query" tabIndex={0}>
        {text}
      </pre>
      <p>
        <CopyButton value={text} what={words.dcql} />
      </p>
    </Panel>
  )
}
