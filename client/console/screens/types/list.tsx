import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type TypeListed, types } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { langOf, nameOf } from '../../ui/display-name.js'
import { Empty } from '../../ui/empty.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { May, useMay } from '../../ui/use-may.js'

/** Every credential type. */
export function TypeList() {
  const { language, texts } = useSpoken()
  const { types: words, nav, terms } = texts
  const listing = useInfiniteQuery(types)
  const may = useMay()
  const isEmpty = listing.data?.length === 0
  const make = (
    <May open="/types/new-type">
      <Link to="/types/new-type" className="button primary">
        {words.make}
      </Link>
    </May>
  )
  return (
    <Screen title={nav.types} intro={words.intro} term={terms.credentialType} actions={isEmpty ? undefined : make}>
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
                  cell: ({ name, title, display }) =>
                    may.open('/types/$name') ? (
                      <Link to="/types/$name" params={{ name }} lang={langOf(display, language)}>
                        {nameOf(display, language) ?? title ?? name}
                      </Link>
                    ) : (
                      <span lang={langOf(display, language)}>{nameOf(display, language) ?? title ?? name}</span>
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
                ...(may.open('/offers') || may.open('/types/new-type')
                  ? [
                      {
                        key: 'actions',
                        name: words.rowActions,
                        nameless: true,
                        cell: ({ name }: TypeListed) => (
                          <span className="row">
                            <May open="/offers">
                              <Link to="/offers" search={{ type: name }}>
                                {words.offer}
                              </Link>
                            </May>
                            <May open="/types/new-type">
                              <Link to="/types/new-type" search={{ from: name }}>
                                {words.duplicate}
                              </Link>
                            </May>
                          </span>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
          )
        }
      </Asked>
      <More query={listing} />
    </Screen>
  )
}
