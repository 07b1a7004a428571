import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serviceAddress } from '../../address.js'
import { issuerRecords, verifierRecords } from '../../queries/agent.js'
import { health, version } from '../../queries/service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { Screen } from '../../ui/screen.js'
import { May } from '../../ui/use-may.js'
import { Checklist } from './checklist.js'
import { DayFigures } from './figures.js'
import { NextSteps, useNextSteps } from './next-steps.js'
import { Records } from './records.js'
import { Failures, WaitingOffers } from './waiting.js'

/** Documents that wallets read, below the service's address. */
const DOCUMENTS = [
  ['issuerMetadata', '/.well-known/openid-credential-issuer'],
  ['authorizationServer', '/.well-known/oauth-authorization-server'],
  ['jwtIssuer', '/.well-known/jwt-vc-issuer'],
  ['reference', '/api-docs'],
] as const

export function Overview() {
  const { overview: words } = useTexts()
  const steps = useNextSteps()
  return (
    <Screen title={words.title} intro={words.intro}>
      <div className="panels">
        <div className="wide">
          <Wrong />
        </div>
        <div className={steps.length === 0 ? 'wide' : undefined}>
          <Panel title={words.waits}>
            <WaitingOffers />
            <Failures />
          </Panel>
        </div>
        {steps.length > 0 && <NextSteps steps={steps} />}
        <May call="statistics.read">
          <div className="wide">
            <Panel title={words.today} intro={words.todayIntro(Intl.DateTimeFormat().resolvedOptions().timeZone)}>
              <DayFigures />
            </Panel>
          </div>
        </May>
        <May call="setup.read">
          <div className="stack">
            <May call="agent.issuers">
              <Issuers />
            </May>
            <May call="agent.verifiers">
              <Verifiers />
            </May>
          </div>
        </May>
        <Panel title={words.documents} intro={words.documentsIntro}>
          <ul className="plain">
            {DOCUMENTS.map(([name, path]) => (
              <li key={name}>
                <a href={serviceAddress(path)} target="_blank" rel="noreferrer">
                  {words[name]}
                </a>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </Screen>
  )
}

function Issuers() {
  const { overview: words } = useTexts()
  return (
    <Panel title={words.issuers}>
      <Asked query={useQuery(issuerRecords)}>{(records) => <Records records={records} />}</Asked>
    </Panel>
  )
}

function Verifiers() {
  const { overview: words } = useTexts()
  return (
    <Panel title={words.verifiers}>
      <Asked query={useQuery(verifierRecords)}>{(records) => <Records records={records} />}</Asked>
    </Panel>
  )
}

/** Whether anything is wrong: one line about the running service, and one about its setup. Both open on demand. */
function Wrong() {
  const { overview: words, trust } = useTexts()
  return (
    <Panel title={words.health}>
      <Asked query={useQuery(health)}>
        {({ status, details }) => (
          <details>
            <summary className={status === 'ok' ? 'good' : 'bad'}>
              {status === 'ok' ? words.healthy : words.unhealthy}
            </summary>
            <dl>
              {Object.entries(details).map(([name, component]) => (
                <Fact key={name} name={words.component(name)}>
                  {words.status[component.status]}
                  {name === 'keyProviders' && (
                    <May open="/trust/keys">
                      {' '}
                      <Link to="/trust/keys">{trust.keys}</Link>
                    </May>
                  )}
                </Fact>
              ))}
              <Running />
            </dl>
          </details>
        )}
      </Asked>
      <May call="setup.read">
        <Checklist />
      </May>
    </Panel>
  )
}

function Running() {
  const { overview: words } = useTexts()
  const running = useQuery(version).data
  return running === undefined ? null : <Fact name={words.version}>{running.version}</Fact>
}
