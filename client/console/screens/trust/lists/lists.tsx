import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type TrustList, trustLists } from '../../../queries/trust-lists.js'
import { useTrustListTexts } from '../../../texts/trust-lists/use-trust-list-texts.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { Asked } from '../../../ui/asked.js'
import { Listing } from '../../../ui/listing.js'
import { Panel } from '../../../ui/panel.js'
import { RelativeTime } from '../../../ui/relative-time.js'
import { Screen } from '../../../ui/screen.js'
import { Tag } from '../../../ui/tag.js'
import { May } from '../../../ui/use-may.js'
import { Sections } from '../sections.js'
import { hostOfList, nameIn, shownUrl } from './names.js'
import { NewListForm } from './new-list.js'
import { FailedCheck, StateOfList } from './state-of-list.js'

/** The trusted lists with their states, and a form for a new list. */
export function TrustLists() {
  const { lists: words } = useTrustListTexts()
  return (
    <Screen title={words.all} intro={words.intro}>
      <Sections />
      <div className="stack">
        <Panel title={words.all}>
          <Asked query={useQuery(trustLists)}>
            {(lists) => (lists.length === 0 ? <p className="soft">{words.none}</p> : <Rows lists={lists} />)}
          </Asked>
        </Panel>
        <May call="trustLists.add">
          <Panel title={words.newList} intro={words.newIntro}>
            <NewListForm />
          </Panel>
        </May>
      </div>
    </Screen>
  )
}

function Rows({ lists }: { readonly lists: readonly TrustList[] }) {
  const { language } = useSpoken()
  const { lists: words } = useTrustListTexts()
  return (
    <Listing
      label={words.all}
      rows={lists}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          name: words.name,
          cell: ({ id, operator, url, kind, note }) => {
            const named = nameIn(operator, language)
            return (
              <span className="asks">
                <Link to="/trust/lists/$id" params={{ id }} lang={named?.lang}>
                  {named?.name ?? hostOfList(url)}
                </Link>
                {note !== undefined && <span>{note}</span>}
                <span className="soft sentence">{shownUrl(url)}</span>
                <span className="soft">{words.kinds[kind]}</span>
              </span>
            )
          },
        },
        {
          key: 'purpose',
          name: words.purpose,
          cell: ({ purpose, types }) => (
            <span className="lines">
              <span>{words.purposes[purpose]}</span>
              {types !== undefined && (
                <span className="soft sentence" title={types.join('\n')}>
                  {types.slice(0, SHOWN_TYPES).join(', ')}
                  {types.length > SHOWN_TYPES && ' …'}
                </span>
              )}
            </span>
          ),
        },
        {
          key: 'state',
          name: words.state,
          cell: (list) => (
            <span className="lines">
              <StateOfList list={list} />
              {list.state !== 'usable' && (
                <span className="soft">
                  <FailedCheck list={list} />
                </span>
              )}
              {list.alert !== undefined && <Tag tone="bad">{words.alertTag}</Tag>}
            </span>
          ),
        },
        {
          key: 'read',
          name: words.checkedAt,
          cell: ({ checkedAt }) => checkedAt !== undefined && <RelativeTime at={checkedAt} />,
        },
        {
          key: 'end',
          name: words.nextUpdate,
          cell: ({ nextUpdate }) => nextUpdate !== undefined && <RelativeTime at={nextUpdate} />,
        },
        { key: 'entities', name: words.entities, cell: ({ entities }) => entities.toLocaleString(language) },
        { key: 'source', name: words.source, cell: ({ source }) => <Tag>{words.sources[source]}</Tag> },
      ]}
    />
  )
}

/** Types that a row shows. Further types are on the screen of the list. */
const SHOWN_TYPES = 2
