import { useQuery } from '@tanstack/react-query'
import { type Setting, settings, version } from '../../queries/service.js'
import { session } from '../../queries/session.js'
import { LanguageSwitch } from '../../shell/language-switch.js'
import { User } from '../../shell/user.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Fact } from '../../ui/fact.js'
import { Listing } from '../../ui/listing.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { Tag } from '../../ui/tag.js'

/** The configuration of the service, and the user's session. Only the language can be changed here. */
export function Settings() {
  const { settings: words } = useTexts()
  const running = useQuery(version)
  return (
    <Screen title={words.title} intro={words.intro}>
      <div className="panels">
        <Panel title={words.session}>
          <OwnSession />
          <LanguageSwitch />
        </Panel>
        <Asked query={useQuery(settings)}>
          {({ settings: all, formats, algorithms }) => (
            <>
              <Panel title={words.service}>
                <dl>
                  <Fact name={words.version}>{running.data?.version}</Fact>
                  <Fact name={words.formats}>{formats.join(', ')}</Fact>
                  <Fact name={words.algorithms}>{algorithms.join(', ')}</Fact>
                </dl>
              </Panel>
              {[...new Set(all.map(({ group }) => group))].map((group) => (
                <div key={group} className="wide">
                  <Panel title={words.groups[group]}>
                    <Group name={words.groups[group]} settings={all.filter((each) => each.group === group)} />
                  </Panel>
                </div>
              ))}
            </>
          )}
        </Asked>
      </div>
    </Screen>
  )
}

function Group({ name, settings: shown }: { readonly name: string; readonly settings: readonly Setting[] }) {
  const { settings: words } = useTexts()
  return (
    <Listing
      label={name}
      rows={shown}
      keyOf={({ variable }) => variable}
      columns={[
        { key: 'setting', name: words.setting, cell: ({ variable }) => words.variables[variable] },
        { key: 'value', name: words.value, cell: (setting) => <Value setting={setting} /> },
        { key: 'variable', name: words.variable, cell: ({ variable }) => <code>{variable}</code> },
      ]}
    />
  )
}

function Value({ setting: { state, value } }: { readonly setting: Setting }) {
  const { settings: words } = useTexts()
  if (value === null) return <span className="soft">{state === 'set' ? words.set : words.unset}</span>
  return (
    <>
      <code>{value}</code> {state === 'default' && <Tag>{words.byDefault}</Tag>}
    </>
  )
}

function OwnSession() {
  const { settings: words } = useTexts()
  return (
    <Asked query={useQuery(session)}>
      {({ mode, user, idleAt, endsAt }) =>
        user !== null && (
          <>
            <dl>
              <Fact name={words.user}>{user.name ?? user.sub}</Fact>
              <Fact name={words.roles}>{user.roles.length === 0 ? words.noRoles : user.roles.join(', ')}</Fact>
              {idleAt !== null && (
                <Fact name={words.idleAt}>
                  <RelativeTime at={idleAt} />
                </Fact>
              )}
              {endsAt !== null && (
                <Fact name={words.endsAt}>
                  <RelativeTime at={endsAt} />
                </Fact>
              )}
            </dl>
            {mode === 'login' && <User user={user} />}
          </>
        )
      }
    </Asked>
  )
}
