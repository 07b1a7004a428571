import type { ReactNode } from 'react'
import { useState } from 'react'
import { Check } from './check.js'
import { CredentialCard } from './credential-card.js'
import { Dialog } from './dialog.js'
import { Empty } from './empty.js'
import { Fact } from './fact.js'
import { Field } from './field.js'
import { IdOnDemand } from './id-on-demand.js'
import { Listing } from './listing.js'
import { Panel } from './panel.js'
import { ProblemNote } from './problem-note.js'
import { ProgressBar } from './progress-bar.js'
import { RelativeTime } from './relative-time.js'
import { Screen } from './screen.js'
import { ShortId } from './short-id.js'
import { Tag } from './tag.js'
import { Timeline } from './timeline.js'
import type { Tone } from './tone.js'

const COLOURS = [
  'ink',
  'soft',
  'paper',
  'card',
  'sunk',
  'line',
  'field',
  'accent',
  'accent-hover',
  'accent-wash',
  'good',
  'good-wash',
  'bad',
  'bad-wash',
  'note',
  'note-wash',
] as const

const WEIGHTS = ['text', 'label', 'head', 'title'] as const

const TONES: readonly (readonly [Tone, string])[] = [
  ['good', 'verified'],
  ['bad', 'failed'],
  ['warn', 'suspended'],
  ['waiting', 'waits for a wallet'],
  ['ended', 'expired'],
  ['plain', 'default'],
]

const DID =
  'did:jwk:eyJjcnYiOiJQLTI1NiIsImt0eSI6IkVDIiwieCI6InJlV3IydEctSnlYQnFhbC1YVmxTVERSRWRJTGI2UW1GQ1Fza18xclo4VjAifQ'
const LONG = 'Rechtsschutzversicherungsgesellschaften'.repeat(5)
const RIGHT_TO_LEFT = 'بطاقة العضوية'
const AT = '2026-01-01T12:00:00.000Z'

interface Row {
  readonly id: string
  readonly name: string
  readonly tone: Tone
  readonly state: string
}

const ROWS: readonly Row[] = [
  { id: '1', name: 'Ada Lovelace', tone: 'good', state: 'active' },
  { id: '2', name: LONG, tone: 'bad', state: 'revoked' },
  { id: '3', name: RIGHT_TO_LEFT, tone: 'warn', state: 'suspended' },
]

const CLAIMS = Array.from({ length: 27 }, (_, at) => ({
  key: String(at),
  title: at === 3 ? LONG : `Claim ${at + 1}`,
  value: at === 5 ? LONG : at === 7 ? RIGHT_TO_LEFT : 'value',
}))

/**
 * All tokens and shared components on one screen, with long words and words from right to left. Only `npm run dev` shows it, so its
 * words are English only.
 */
export function Gallery() {
  return (
    <Screen
      title="Tokens and components"
      intro="What every screen is made of. A screen has one primary action."
      actions={
        <>
          <button type="button">Plain</button>
          <button type="button" className="primary">
            Primary
          </button>
        </>
      }
    >
      <div className="panels">
        <Colours />
        <Type />
        <Buttons />
        <States />
        <Part title="List">
          <Rows />
        </Part>
        <Fields />
        <Part title="Empty">
          <Empty title="No credential yet" text="The first credential appears here as soon as a wallet takes an offer.">
            <button type="button" className="primary">
              Offer a credential
            </button>
          </Empty>
        </Part>
        <Part title="Facts and ids">
          <dl>
            <Fact name="Name">{LONG}</Fact>
            <Fact name="Name from right to left">{RIGHT_TO_LEFT}</Fact>
            <Fact name="DID">
              <ShortId id={DID} what="DID" />
            </Fact>
            <Fact name="Created">
              <RelativeTime at={AT} />
            </Fact>
          </dl>
        </Part>
        <Part title="Progress">
          <Timeline
            label="Progress"
            steps={[
              { key: 'done', tone: 'done', title: 'The request is created.' },
              { key: 'good', tone: 'good', title: 'Signature', text: 'The signature is valid.' },
              { key: 'bad', tone: 'bad', title: 'Trusted issuer', text: `The issuer ${LONG} is not trusted.` },
              { key: 'waiting', tone: 'waiting', title: 'Waiting for a wallet.' },
              { key: 'left', tone: 'left', title: 'Not reached' },
            ]}
          />
          <ProgressBar label="Issued" done={3} of={8} />
        </Part>
        <Part title="Credential with 27 claims">
          <CredentialCard
            title={LONG}
            issuer="Credence"
            display={{ background_color: '#1d4d3c', text_color: '#ffffff' }}
            state="revoked"
            claims={CLAIMS}
          />
        </Part>
      </div>
    </Screen>
  )
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className="wide">
    <Panel title={title}>{children}</Panel>
  </div>
)

function Colours() {
  return (
    <Panel title="Colours">
      <ul className="plain swatches">
        {COLOURS.map((name) => (
          <li key={name} className="row">
            <span className="colour" style={{ background: `var(--${name})` }} />
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Type() {
  return (
    <Panel title="Type">
      {WEIGHTS.map((name) => (
        <p key={name} style={{ fontWeight: `var(--weight-${name})` }}>
          {name}: Žluťoučký kůň, Ελληνικά, Кириллица 0123456789
        </p>
      ))}
      <p className="soft">Small text and hints are softer than running text.</p>
      <p>
        <code>did:web:issuer.example</code>
      </p>
    </Panel>
  )
}

function Buttons() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel title="Buttons">
      <div className="row">
        <button type="button" className="primary">
          Primary
        </button>
        <button type="button">Plain</button>
        <button type="button" className="quiet">
          Quiet
        </button>
        <button type="button" className="danger">
          Delete
        </button>
        <button type="button" className="quiet danger">
          Remove
        </button>
        <button type="button" disabled>
          Disabled
        </button>
      </div>
      <p className="soft">Red is for actions that destroy something, and for errors.</p>
      <button type="button" onClick={() => setOpen(true)}>
        Open a dialog
      </button>
      {isOpen && (
        <Dialog title="Delete this query?" onClose={() => setOpen(false)}>
          <p>Requests that were made from it stay.</p>
          <div className="row">
            <button type="button" className="danger" onClick={() => setOpen(false)}>
              Delete
            </button>
            <button type="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </Panel>
  )
}

function States() {
  return (
    <Panel title="States and messages">
      <p className="row">
        {TONES.map(([tone, words]) => (
          <Tag key={tone} tone={tone}>
            {words}
          </Tag>
        ))}
      </p>
      <p className="note">Another user has already done this. No action is needed.</p>
      <ProblemNote error={new Error('The name is used already.')} />
      <details>
        <summary className="good">All 8 checks passed</summary>
        <p>Details open on demand.</p>
      </details>
    </Panel>
  )
}

function Rows() {
  return (
    <Listing
      label="List"
      rows={ROWS}
      keyOf={({ id }) => id}
      columns={[
        { key: 'name', name: 'Name', cell: ({ id, name }) => <a href={`#${id}`}>{name}</a> },
        { key: 'type', name: 'Type', cell: () => 'Membership card' },
        { key: 'state', name: 'State', cell: ({ tone, state }) => <Tag tone={tone}>{state}</Tag> },
        { key: 'made', name: 'Created', cell: () => <RelativeTime at={AT} /> },
        // No row has a reference, so the list has no column for it.
        { key: 'reference', name: 'Reference', cell: () => undefined },
        { key: 'by', name: 'Created by', cell: () => 'me' },
        { key: 'holder', name: 'DID', cell: () => <IdOnDemand id={DID} what="DID" /> },
        {
          key: 'actions',
          name: 'Actions',
          nameless: true,
          cell: ({ name }) => (
            <button type="button" className="quiet danger" aria-label={`Delete ${name}`}>
              Delete
            </button>
          ),
        },
      ]}
    />
  )
}

function Fields() {
  return (
    <Part title="Fields">
      <div className="columns">
        <Field label="Name" hint="For people, for example the name of the person." required>
          {(props) => <input {...props} defaultValue="Ada Lovelace" />}
        </Field>
        <Field label="Reference" error="The reference is used already.">
          {(props) => <input {...props} defaultValue={LONG} />}
        </Field>
        <Field label="Level" required>
          {(props) => (
            <select {...props}>
              <option>gold</option>
              <option>silver</option>
            </select>
          )}
        </Field>
        <Field label="Note">{(props) => <textarea {...props} defaultValue={RIGHT_TO_LEFT} />}</Field>
      </div>
      <Check defaultChecked>Require a PIN that you send separately</Check>
    </Part>
  )
}
