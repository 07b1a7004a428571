import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Webhook, webhooks } from '../../queries/webhooks.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { NewWebhookForm } from './new-webhook.js'
import { StateOf } from './state-of.js'

/** The webhooks, and a form for a new webhook. */
export function WebhookList() {
  const { webhooks: words, nav } = useTexts()
  const query = useInfiniteQuery(webhooks)
  return (
    <Screen title={nav.webhooks} intro={words.intro}>
      <div className="stack">
        <Panel title={words.all}>
          <Asked query={query}>
            {(rows) => (
              <>
                {rows.length === 0 ? <p className="soft">{words.none}</p> : <Rows rows={rows} />}
                <More query={query} />
              </>
            )}
          </Asked>
        </Panel>
        <Panel title={words.newWebhook} intro={words.newIntro}>
          <NewWebhookForm />
        </Panel>
      </div>
    </Screen>
  )
}

function Rows({ rows }: { readonly rows: readonly Webhook[] }) {
  const { webhooks: words } = useTexts()
  return (
    <Listing
      label={words.all}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'url',
          name: words.url,
          cell: ({ id, url, description }) => (
            <span className="asks">
              {description !== undefined && <span>{description}</span>}
              <Link to="/webhooks/$id" params={{ id }}>
                <span className="sentence">{url}</span>
              </Link>
            </span>
          ),
        },
        {
          key: 'events',
          name: words.events,
          cell: ({ events }) => (events.includes('*') ? words.everyEvent : words.eventCount(events.length)),
        },
        { key: 'state', name: words.state, cell: (row) => <StateOf webhook={row} /> },
        { key: 'at', name: words.created, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
      ]}
    />
  )
}
