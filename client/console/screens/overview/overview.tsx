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
import { Checklist } from './checklist.js'
import { Failures } from './failures.js'
import { DayFigures } from './figures.js'
import { Records } from './records.js'

/** Documents that wallets read, below the service's address. */
const DOCUMENTS = [
  ['issuerMetadata', '/.well-known/openid-credential-issuer'],
  ['authorizationServer', '/.well-known/oauth-authorization-server'],
  ['jwtIssuer', '/.well-known/jwt-vc-issuer'],
  ['reference', '/api-docs'],
] as const

export function Overview() {
  const { overview: words } = useTexts()
  const issuers = useQuery(issuerRecords)
  const verifiers = useQuery(verifierRecords)
  return (
    <Screen title={words.title} intro={words.intro}>
      <div className="panels">
        <div className="wide">
          <Panel title={words.today} intro={words.todayIntro}>
            <DayFigures />
          </Panel>
        </div>
        <div className="stack">
          <Panel title={words.setup}>
            <Checklist />
          </Panel>
          <Panel title={words.issuers}>
            <Asked query={issuers}>{(records) => <Records records={records} />}</Asked>
          </Panel>
          <Panel title={words.verifiers}>
            <Asked query={verifiers}>{(records) => <Records records={records} />}</Asked>
          </Panel>
        </div>
        <div className="stack">
          <Panel title={words.next}>
            <Next />
          </Panel>
          <Panel title={words.failures}>
            <Failures />
          </Panel>
          <Health />
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
      </div>
    </Screen>
  )
}

/** The steps from an empty service to a verified credential. */
function Next() {
  const { overview: words } = useTexts()
  return (
    <ol className="steps">
      <li>
        <Link to="/types/new-type">{words.nextType}</Link>
        <p className="soft">{words.nextTypeText}</p>
      </li>
      <li>
        <Link to="/offers">{words.nextOffer}</Link>
        <p className="soft">{words.nextOfferText}</p>
      </li>
      <li>
        <Link to="/requests/new-request">{words.nextRequest}</Link>
        <p className="soft">{words.nextRequestText}</p>
      </li>
    </ol>
  )
}

function Health() {
  const { overview: words } = useTexts()
  const ready = useQuery(health)
  const running = useQuery(version)
  return (
    <Panel title={words.health}>
      <Asked query={ready}>
        {({ status, details }) => (
          <>
            <p className={status === 'ok' ? 'good' : 'bad'}>{status === 'ok' ? words.healthy : words.unhealthy}</p>
            <dl>
              {Object.entries(details).map(([name, component]) => (
                <Fact key={name} name={words.component(name)}>
                  {words.status[component.status]}
                </Fact>
              ))}
              {running.data !== undefined && <Fact name={words.version}>{running.data.version}</Fact>}
            </dl>
          </>
        )}
      </Asked>
    </Panel>
  )
}
