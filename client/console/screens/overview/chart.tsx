import { useId, useSyncExternalStore } from 'react'
import { localeOf } from '../../../../server/protocol/credential-card/values.js'
import { useSpoken } from '../../texts/use-texts.js'

interface Series {
  readonly name: string
  /** The name of a series, and its value for each day. */
  readonly values: readonly number[]
}

interface Props {
  readonly label: string
  /** What the numbers of the axis count. */
  readonly unit: string
  /** The times at which the days begin, in the zone of the browser. */
  readonly days: readonly string[]
  /** At most two series, because only two have colours. */
  readonly series: readonly Series[]
}

/**
 * Possible widths of the drawing in pixels. The chart uses a width that is close to the space on the screen, so that
 * texts are not scaled.
 */
const WIDTHS = { widest: 1100, wide: 720, narrow: 330 }
const HEIGHT = 180
const BOTTOM = 22
/** Space for the unit above the top line, in pixels. */
const TOP = 22
/** Length of the mark of a day below the axis, in pixels. */
const TICK = 4
/** Base line of the unit, in pixels. */
const UNIT = 10
/** Number of horizontal lines below the top line. */
const LINES = 4

/** Space between the numbers of the axis and the lines, in pixels. */
const GAP = 6
/** The greatest width of a digit on the axis in any system font, in pixels. */
const DIGIT = 7.5
const LEAST_LEFT = 36
/**
 * Width of a day's label with its distance to the next label, in pixels. The right edge of the last label is at its
 * day.
 */
const NAME_WIDTH = 72

/** Writes numbers for the axis in a short form: 2.5M, or 2,5 Mio. in German. */
const axisNumbers = (language: string) =>
  new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })

/** The top of the axis: a round number that is not less than the largest value and divisible by the number of lines. */
export function roundTop(most: number): number {
  if (most <= LINES) return LINES
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 4, 6, 8, 10].map((times) => times * power).find((top) => top >= most && top % LINES === 0) ?? 20 * power
}

const NARROW = '(max-width: 47.99rem)'
const WIDEST = '(min-width: 80rem)'

function followWidth(onChange: () => void): () => void {
  const queries = [NARROW, WIDEST].map((media) => matchMedia(media))
  for (const query of queries) query.addEventListener('change', onChange)
  return () => {
    for (const query of queries) query.removeEventListener('change', onChange)
  }
}

const widthNow = (): number => {
  if (matchMedia(NARROW).matches) return WIDTHS.narrow
  return matchMedia(WIDEST).matches ? WIDTHS.widest : WIDTHS.wide
}

const useWidth = (): number => useSyncExternalStore(followWidth, widthNow)

/** A bar chart with one bar for each day and series, and the same figures as a table. */
export function Chart({ label, unit, days, series }: Props) {
  const { language, texts } = useSpoken()
  const { overview: words } = texts
  const id = useId()
  const width = useWidth()
  const top = roundTop(Math.max(0, ...series.flatMap(({ values }) => values)))
  const numbers = axisNumbers(language)
  const lines = Array.from({ length: LINES + 1 }, (_, at) => (top / LINES) * at).map((value) => ({
    value,
    text: numbers.format(value),
  }))
  const left = Math.max(LEAST_LEFT, GAP + DIGIT * Math.max(...lines.map(({ text }) => text.length)))
  const dayWidth = (width - left) / Math.max(1, days.length)
  const barWidth = (dayWidth * 0.8) / Math.max(1, series.length)
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP)
  const dated = new Intl.DateTimeFormat(localeOf(language), { day: 'numeric', month: 'short' })
  const exact = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'full' })
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const whole = new Intl.NumberFormat(language)
  const figureOf = (values: readonly number[], at: number) => whole.format(values[at] ?? 0)
  const nameOf = (day: string) => dated.format(new Date(day))
  const toldOf = (day: string, at: number) =>
    [
      `${exact.format(new Date(day))} (${zone})`,
      ...series.map(({ name, values }) => `${name}: ${figureOf(values, at)}`),
    ].join('\n')
  const marked = 7 * Math.ceil(NAME_WIDTH / (7 * dayWidth))
  const isMarked = (at: number) => (days.length - 1 - at) % marked === 0
  return (
    <figure className="chart">
      <figcaption id={id}>
        <span>{label}</span>
        {series.map(({ name }, at) => (
          <span key={name} className="key">
            <svg viewBox="0 0 1 1" aria-hidden="true" className="swatch">
              <rect width="1" height="1" className={`bar bar-${at}`} />
            </svg>
            {name}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-labelledby={id}>
        <title>{label}</title>
        <text x={0} y={UNIT}>
          {unit}
        </text>
        {lines.map(({ value, text }) => (
          <g key={value}>
            <line x1={left} x2={width} y1={y(value)} y2={y(value)} className="line" />
            <text x={left - GAP} y={y(value) + 4} textAnchor="end">
              {text}
            </text>
          </g>
        ))}
        {days.map((day, at) => (
          <g key={day}>
            <title>{toldOf(day, at)}</title>
            <rect x={left + at * dayWidth} y={TOP} width={dayWidth} height={HEIGHT - BOTTOM - TOP} className="day" />
            {series.map(({ name, values }, which) => (
              <rect
                key={name}
                x={left + at * dayWidth + dayWidth * 0.1 + which * barWidth}
                y={y(values[at] ?? 0)}
                width={barWidth}
                height={HEIGHT - BOTTOM - y(values[at] ?? 0)}
                className={`bar bar-${which}`}
              />
            ))}
            {isMarked(at) && (
              <line
                x1={left + (at + 0.5) * dayWidth}
                x2={left + (at + 0.5) * dayWidth}
                y1={HEIGHT - BOTTOM}
                y2={HEIGHT - BOTTOM + TICK}
                className="line"
              />
            )}
            {isMarked(at) && (
              <text
                x={left + (at + 0.5) * dayWidth}
                y={HEIGHT - 6}
                textAnchor={at === days.length - 1 ? 'end' : 'middle'}
              >
                {nameOf(day)}
              </text>
            )}
          </g>
        ))}
      </svg>
      <details>
        <summary>{words.asTable}</summary>
        <table className="list" aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{words.day}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day, back) => (
              <tr key={day}>
                <th scope="row">{nameOf(day)}</th>
                {series.map(({ name, values }) => (
                  <td key={name} data-label={name}>
                    {figureOf(values, days.length - 1 - back)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
