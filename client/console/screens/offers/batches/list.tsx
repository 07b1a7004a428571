import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { localeOf } from '../../../../../server/protocol/credential-card/values.js'
import { batches } from '../../../queries/batches.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { Asked } from '../../../ui/asked.js'
import { Empty } from '../../../ui/empty.js'
import { Listing } from '../../../ui/listing.js'
import { LongName } from '../../../ui/long-name.js'
import { More } from '../../../ui/more.js'
import { RelativeTime } from '../../../ui/relative-time.js'
import { Screen } from '../../../ui/screen.js'
import { Tag } from '../../../ui/tag.js'
import { May } from '../../../ui/use-may.js'

/** The screen with the batches of offers. */
export function BatchList() {
  const { language, texts } = useSpoken()
  const { batches: words, many, sessions } = texts
  const made = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' })
  const query = useInfiniteQuery(batches)
  const fromFile = (
    <May open="/offers/from-file">
      <Link to="/offers/from-file" className="button primary">
        {many.title}
      </Link>
    </May>
  )
  return (
    <Screen title={words.title} intro={words.intro} actions={query.data?.length === 0 ? undefined : fromFile}>
      <Asked query={query}>
        {(listed) =>
          listed.length === 0 ? (
            <Empty title={words.none} text={words.noneText}>
              {fromFile}
            </Empty>
          ) : (
            <>
              <Listing
                label={words.title}
                rows={listed}
                keyOf={({ id }) => id}
                columns={[
                  {
                    key: 'name',
                    name: words.name,
                    cell: ({ id, name, createdAt }) => (
                      <Link to="/offers/batches/$id" params={{ id }}>
                        <LongName>{name ?? words.unnamed(made.format(new Date(createdAt)))}</LongName>
                      </Link>
                    ),
                  },
                  { key: 'offers', name: words.offers, cell: ({ offers }) => offers },
                  { key: 'made', name: sessions.made, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
                  {
                    key: 'state',
                    name: sessions.state,
                    cell: ({ cancelledAt }) => cancelledAt !== undefined && <Tag tone="ended">{words.cancelled}</Tag>,
                  },
                ]}
              />
              <More query={query} />
            </>
          )
        }
      </Asked>
    </Screen>
  )
}
