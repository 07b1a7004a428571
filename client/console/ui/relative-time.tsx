import { localeOf } from '../../../server/protocol/credential-card/values.js'
import { useSpoken } from '../texts/use-texts.js'

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** The distance from `now` to `then` in words: "in 3 days", "2 minutes ago". */
export function relative(then: Date, now: Date, language: string): string {
  const seconds = Math.round((then.getTime() - now.getTime()) / 1000)
  const [unit, size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit)
}

/** A time as its distance from now. The title has the exact time with its zone. */
export function RelativeTime({ at }: { readonly at: string }) {
  const { language } = useSpoken()
  const then = new Date(at)
  const exact = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'full', timeStyle: 'long' }).format(then)
  return (
    <time dateTime={at} title={exact}>
      {relative(then, new Date(), language)}
    </time>
  )
}
