import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { types } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { nameOf } from '../../ui/display-name.js'
import { Empty } from '../../ui/empty.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'

/** Every credential type. */
export function TypeList() {
  const { language, texts } = useSpoken()
  const { types: words, nav } = texts
  const listing = useInfiniteQuery(types)
  const make = (
    <Link to="/types/new-type" className="button primary">
      {words.make}
    </Link>
  )
  return (
    <Screen title={nav.types} intro={words.intro} actions={make}>
      <Asked query={listing}>
        {(listed) =>
          listed.length === 0 ? (
            <Empty title={words.none} text={words.noneText}>
              {make}
            </Empty>
          ) : (
            <table className="list">
              <caption className="hidden">{nav.types}</caption>
              <thead>
                <tr>
                  <th scope="col">{words.shownName}</th>
                  <th scope="col">{words.name}</th>
                  <th scope="col">{words.newest}</th>
                  <th scope="col">
                    <span className="hidden">{words.rowActions}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {listed.map(({ name, title, display, version, createdAt }) => (
                  <tr key={name}>
                    <th scope="row">
                      <Link to="/types/$name" params={{ name }}>
                        {nameOf(display, language) ?? title ?? name}
                      </Link>
                    </th>
                    <td data-label={words.name}>
                      <code>{name}</code>
                    </td>
                    <td data-label={words.newest}>
                      <span>
                        {words.version(version)}, <RelativeTime at={createdAt} />
                      </span>
                    </td>
                    <td>
                      <Link to="/offers" search={{ type: name }}>
                        {words.offer}
                      </Link>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Asked>
      {listing.hasNextPage && (
        <button type="button" disabled={listing.isFetching} onClick={() => void listing.fetchNextPage()}>
          {texts.common.more}
        </button>
      )}
    </Screen>
  )
}
