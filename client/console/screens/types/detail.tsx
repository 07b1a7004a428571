import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { TypeVersion } from '../../queries/shapes.js'
import { typeVersions } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { titlesOf } from '../../ui/claim-titles.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor, langOf } from '../../ui/display-name.js'
import { Panel } from '../../ui/panel.js'
import { useIssuerNames } from '../../ui/party-names.js'
import { Screen } from '../../ui/screen.js'
import { May } from '../../ui/use-may.js'
import { Assignments } from './assignments.js'
import { Claims } from './claims-shown.js'
import { Comparison } from './comparison.js'
import { written } from './draft.js'
import { saveType } from './save-type.js'
import { shownClaims } from './shown-claims.js'
import { SourceTest } from './source-test.js'
import { bodyOfVersion } from './version-body.js'
import { Versions } from './versions.js'

const route = getRouteApi('/types/$name')

/** One credential type: its claims, its versions and its issuers. */
export function TypeDetail() {
  const { name } = route.useParams()
  const { language, texts } = useSpoken()
  const { types: words } = texts
  const versions = useQuery(typeVersions(name))
  const active = versions.data?.find((version) => version.active)
  const shown = active ?? versions.data?.[0]
  const title = entryFor(shown?.display ?? [], language)?.name ?? shown?.title ?? name
  return (
    <Screen
      title={title}
      titleLang={langOf(shown?.display, language)}
      intro={shown?.description}
      actions={
        <>
          {active !== undefined && (
            <May open="/offers">
              <Link to="/offers" search={{ type: name }} className="button primary">
                {words.offer}
              </Link>
            </May>
          )}
          {!versions.isError && (
            <>
              <May open="/types/$name/edit">
                <Link to="/types/$name/edit" params={{ name }} className="button">
                  {words.nextVersion}
                </Link>
              </May>
              <May open="/types/new-type">
                <Link to="/types/new-type" search={{ from: name }} className="button">
                  {words.duplicate}
                </Link>
              </May>
            </>
          )}
          {shown !== undefined && (
            <button type="button" onClick={() => saveType(bodyOfVersion(shown))}>
              {words.saveFile}
            </button>
          )}
        </>
      }
    >
      <Asked query={versions}>{(all) => <Body title={title} shown={shown} versions={all} />}</Asked>
    </Screen>
  )
}

interface BodyProps {
  readonly title: string
  readonly shown: TypeVersion | undefined
  readonly versions: readonly TypeVersion[]
}

function Body({ title, shown, versions }: BodyProps) {
  const { language, texts } = useSpoken()
  const { types: words } = texts
  const issuerName = useIssuerNames()
  if (shown === undefined) return null
  const look = entryFor(shown.display ?? [], language)
  const rows = shownClaims(shown.schemaBody, shown.selectivelyDisclosable, titlesOf(shown, language))
  return (
    <div className="beside">
      <div className="fields">
        <Panel title={words.claims}>
          {rows.length === 0 ? <pre className="code">{written(shown.schemaBody)}</pre> : <Claims rows={rows} />}
        </Panel>
        {shown.claimsSource !== undefined && (
          <Panel title={words.source}>
            <SourceTest type={shown} source={shown.claimsSource} />
          </Panel>
        )}
        <Panel title={words.versions}>
          <Versions versions={versions} />
        </Panel>
        {versions.length > 1 && (
          <Panel title={words.compare}>
            <Comparison versions={versions} />
          </Panel>
        )}
        <May call="agent.issuers">
          <Panel title={words.assigned} intro={words.assignedIntro}>
            <Assignments type={shown} />
          </Panel>
        </May>
      </div>
      <aside aria-label={words.preview}>
        <CredentialCard
          title={title}
          titleLang={langOf(shown.display, language)}
          issuer={issuerName()}
          display={look}
          claims={rows
            .filter(({ kind }) => kind !== 'group')
            .map((row) => ({ key: row.path, title: row.title || row.path }))}
        />
      </aside>
    </div>
  )
}
