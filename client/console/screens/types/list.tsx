import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { types } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { langOf, nameOf } from '../../ui/display-name.js'
import { Empty } from '../../ui/empty.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'

/** Every credential type. */
export function TypeList() {
  const { language, texts } = useSpoken()
  const { types: words, nav, terms } = texts
  const listing = useInfiniteQuery(types)
  const make = (
    <Link to="/types/new-type" className="button primary">
      {words.make}
    </Link>
  )
  return (
    <Screen title={nav.types} intro={words.intro} term={terms.credentialType} actions={make}>
      <Asked query={listing}>
        {(listed) =>
          listed.length === 0 ? (
            <Empty title={words.none} text={words.noneText}>
              {make}
            </Empty>
          ) : (
            <Listing
              label={nav.types}
              rows={listed}
              keyOf={({ name }) => name}
              columns={[
                {
                  key: 'shown',
                  name: words.shownName,
                  cell: ({ name, title, display }) => (
                    <Link to="/types/$name" params={{ name }} lang={langOf(display, language)}>
                      {nameOf(display, language) ?? title ?? name}
                    </Link>
                  ),
                },
                { key: 'name', name: words.name, cell: ({ name }) => <code>{name}</code> },
                {
                  key: 'newest',
                  name: words.newest,
                  cell: ({ version, createdAt }) => (
                    <span>
                      {words.version(version)}, <RelativeTime at={createdAt} />
                    </span>
                  ),
                },
                {
                  key: 'actions',
                  name: words.rowActions,
                  nameless: true,
                  cell: ({ name }) => (
                    <Link to="/offers" search={{ type: name }}>
                      {words.offer}
                    </Link>
                  ),
                },
              ]}
            />
          )
        }
      </Asked>
      <More query={listing} />
    </Screen>
  )
}
