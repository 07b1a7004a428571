import { useQuery } from '@tanstack/react-query'
import { type Figures, statistics } from '../../queries/overview.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Fact } from '../../ui/fact.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Chart } from './chart.js'

/** Reads each figure of a day. The order is the order on the screen. */
const TOLD = {
  offers: ({ offers }: Figures) => offers,
  issued: ({ issued }: Figures) => issued,
  requests: ({ requests }: Figures) => requests,
  verified: ({ verificationSessions: { verified } }: Figures) => verified,
  refused: ({ verificationSessions: { refused } }: Figures) => refused,
  revoked: ({ revoked }: Figures) => revoked,
} as const

const NAMES = Object.keys(TOLD) as (keyof typeof TOLD)[]

/** The figures of today and of the last 30 days. */
export function DayFigures() {
  const { language, texts } = useSpoken()
  const { overview: words } = texts
  const numbers = new Intl.NumberFormat(language)
  return (
    <Asked query={useQuery(statistics)}>
      {({ steps, completeAt }) => {
        const today = steps.at(-1)
        return (
          <>
            {today !== undefined && (
              <dl className="figures">
                {NAMES.map((name) => (
                  <Fact key={name} name={words.figures[name]}>
                    {numbers.format(TOLD[name](today))}
                  </Fact>
                ))}
              </dl>
            )}
            <Chart
              label={words.chart}
              unit={words.perDay}
              days={steps.map(({ at }) => at)}
              series={(['issued', 'verified'] as const).map((name) => ({
                name: words.figures[name],
                values: steps.map(TOLD[name]),
              }))}
            />
            <p className="soft">
              {/* A service that has just started has no counts yet. */}
              {Date.parse(completeAt) === 0 ? (
                words.notCounted
              ) : (
                <>
                  {words.completeAt} <RelativeTime at={completeAt} />
                </>
              )}
            </p>
          </>
        )
      }}
    </Asked>
  )
}
