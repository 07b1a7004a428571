import { localeOf } from '../../../../server/protocol/credential-card/values.js'
import { useSpoken } from '../../texts/use-texts.js'
import { relative } from '../../ui/relative-time.js'
import { Tag } from '../../ui/tag.js'

/** Remaining time from which the screen shows a warning, as the service's log does, in milliseconds. */
const WARN_MS = 30 * 86_400_000

interface Props {
  /** The earliest expiry of the certificates in a chain. */
  readonly until: string
}

/** Shows when certificates expire: the day, and the remaining time if it is short. */
export function CertificateEnd({ until }: Props) {
  const { language, texts } = useSpoken()
  const { trust: words } = texts
  const now = new Date()
  const end = new Date(until)
  const left = end.getTime() - now.getTime()
  const day = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium' }).format(end)
  const exact = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'full', timeStyle: 'long' }).format(end)
  if (left > WARN_MS) return <span title={exact}>{words.until(day)}</span>
  return (
    <Tag tone={left > 0 ? 'warn' : 'bad'} title={exact}>
      {left > 0 ? words.endsSoon(relative(end, now, language)) : words.ended(relative(end, now, language))}
    </Tag>
  )
}
