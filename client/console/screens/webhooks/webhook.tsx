import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type SentTest, type Webhook as StoredWebhook, webhook } from '../../queries/webhooks.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Confirmation } from '../../ui/confirmation.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { Reason } from '../../ui/reason.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { Deliveries } from './deliveries.js'
import { SecretDialog } from './secret.js'
import { SNIPPETS } from './snippets.js'
import { StateOf } from './state-of.js'

const route = getRouteApi('/webhooks/$id')

/** The name of a webhook: its description, otherwise the host of its address. */
const titleOf = ({ description, url }: StoredWebhook): string => description ?? new URL(url).host

/** One webhook: its state, a test, its deliveries, and code that verifies them. */
export function Webhook() {
  const { webhooks: words } = useTexts()
  const { id } = route.useParams()
  const query = useQuery(webhook(id))
  return (
    <Screen
      title={query.data === undefined ? words.webhook : titleOf(query.data)}
      intro={words.webhookIntro}
      actions={
        <Link to="/webhooks" className="button">
          {words.all}
        </Link>
      }
    >
      <div className="stack">
        <Asked query={query}>{(found) => <About webhook={found} />}</Asked>
        <Panel title={words.test} intro={words.testIntro}>
          <Test id={id} />
        </Panel>
        <Panel title={words.deliveries} intro={words.deliveriesIntro}>
          <Deliveries id={id} />
        </Panel>
        <Panel title={words.verifying} intro={words.verifyingIntro}>
          <Snippets />
        </Panel>
      </div>
    </Screen>
  )
}

function About({ webhook: shown }: { readonly webhook: StoredWebhook }) {
  const { webhooks: words } = useTexts()
  const { id, url, events, payload, signature, active, publicKey, createdBy, createdAt } = shown
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isLeaving, setLeaving] = useState(false)
  const [secret, setSecret] = useState<string>()
  const again = () => client.invalidateQueries({ queryKey: ['webhooks'] })
  const switching = useMutation({
    mutationFn: () => credence.webhooks.change.mutate({ id, active: !active }),
    onSettled: again,
  })
  const rotating = useMutation({
    mutationFn: () => credence.webhooks.rotateSecret.mutate({ id }),
    onSuccess: async (made) => {
      setSecret(made.secret)
      await again()
    },
  })
  return (
    <Panel title={words.about}>
      {switching.isError && <ProblemNote error={switching.error} />}
      {rotating.isError && <ProblemNote error={rotating.error} />}
      <dl>
        <Fact name={words.url}>
          <code className="sentence">{url}</code>
        </Fact>
        <Fact name={words.state}>
          <span role="status">
            <StateOf webhook={shown} />
          </span>
        </Fact>
        {shown.lastError !== undefined && (
          <Fact name={words.lastError}>
            <Reason>{shown.lastError}</Reason>
          </Fact>
        )}
        {shown.lastSuccessAt !== undefined && (
          <Fact name={words.lastSuccess}>
            <RelativeTime at={shown.lastSuccessAt} />
          </Fact>
        )}
        <Fact name={words.events}>{events.includes('*') ? words.everyEvent : events.join(', ')}</Fact>
        <Fact name={words.payload}>{words.payloads[payload]}</Fact>
        <Fact name={words.signature}>{words.signatures[signature]}</Fact>
        {publicKey !== undefined && (
          <Fact name={words.publicKey}>
            <code className="sentence">{publicKey}</code> <CopyButton value={publicKey} what={words.publicKey} />
          </Fact>
        )}
        {createdBy !== undefined && <Fact name={words.createdBy}>{createdBy}</Fact>}
        <Fact name={words.created}>
          <RelativeTime at={createdAt} />
        </Fact>
      </dl>
      <p className="row">
        <button type="button" disabled={switching.isPending} onClick={() => switching.mutate()}>
          {active ? words.switchOff : words.switchOn}
        </button>
        <button type="button" disabled={rotating.isPending} onClick={() => rotating.mutate()}>
          {words.rotate}
        </button>
        <button type="button" className="danger" onClick={() => setLeaving(true)}>
          {words.remove}
        </button>
      </p>
      {secret !== undefined && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
      {isLeaving && (
        <Confirmation
          title={words.removeTitle}
          text={words.removeText}
          action={words.remove}
          act={async () => {
            await credence.webhooks.remove.mutate({ id })
            await navigate({ to: '/webhooks' })
          }}
          changes="webhooks"
          onClose={() => setLeaving(false)}
        />
      )}
    </Panel>
  )
}

function Test({ id }: { readonly id: string }) {
  const { webhooks: words } = useTexts()
  const client = useQueryClient()
  const testing = useMutation({
    mutationFn: () => credence.webhooks.test.mutate({ id }),
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks'] }),
  })
  return (
    <>
      <p>
        <button type="button" className="primary" disabled={testing.isPending} onClick={() => testing.mutate()}>
          {words.sendTest}
        </button>
      </p>
      {testing.isError && <ProblemNote error={testing.error} />}
      <div role="status">{testing.data !== undefined && <Result test={testing.data} />}</div>
    </>
  )
}

function Result({ test: { delivered, status, milliseconds, answer, error, sent } }: { readonly test: SentTest }) {
  const { webhooks: words } = useTexts()
  return (
    <>
      <p>{delivered ? words.testDelivered : words.testFailed}</p>
      <dl>
        <Fact name={words.answer}>{words.answered(1, status, milliseconds)}</Fact>
        {error !== undefined && (
          <Fact name={words.lastError}>
            <Reason>{error}</Reason>
          </Fact>
        )}
        {answer !== undefined && answer !== '' && (
          <Fact name={words.answerBody}>
            <code className="sentence">{answer}</code>
          </Fact>
        )}
        <Fact name={words.sent}>
          <ul className="plain">
            {sent.headers.map(({ name, value }) => (
              <li key={name}>
                <code className="sentence">
                  {name}: {value}
                </code>
              </li>
            ))}
          </ul>
        </Fact>
        <Fact name={words.sentBody}>
          <code className="sentence">{sent.body}</code>
        </Fact>
      </dl>
    </>
  )
}

function Snippets() {
  return (
    <>
      {SNIPPETS.map(({ language, code }) => (
        <details key={language}>
          <summary>{language}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll the code. */}
          <pre className="code" tabIndex={0}>
            {code}
          </pre>
          <CopyButton value={code} what={language} />
        </details>
      ))}
    </>
  )
}
