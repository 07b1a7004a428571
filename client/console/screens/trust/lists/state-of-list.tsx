import { localeOf } from '../../../../../server/protocol/credential-card/values.js'
import type { TrustList } from '../../../queries/trust-lists.js'
import { useTrustListTexts } from '../../../texts/trust-lists/use-trust-list-texts.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { Sentence } from '../../../ui/sentence.js'
import { Tag } from '../../../ui/tag.js'

/** Whether a list can be used, in words. */
export function StateOfList({ list: { state, check, usableUntil } }: { readonly list: TrustList }) {
  const { language } = useSpoken()
  const { lists: words } = useTrustListTexts()
  if (state === 'usable') return <Tag tone="good">{words.states.usable}</Tag>
  if (state === 'unusable')
    return check === 'not-read' ? (
      <Tag tone="waiting">{words.states.unread}</Tag>
    ) : (
      <Tag tone="bad">{words.states.unusable}</Tag>
    )
  if (usableUntil === undefined) return <Tag tone="warn">{words.states.failingOpen}</Tag>
  const until = new Date(usableUntil)
  const day = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium' }).format(until)
  const exact = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'full', timeStyle: 'long' }).format(until)
  return (
    <Tag tone="warn" title={exact}>
      {words.states.failing(day)}
    </Tag>
  )
}

/** The sentence of the failed check. A service of a newer version may name a check that this console does not know. */
export function FailedCheck({ list: { check, reason } }: { readonly list: TrustList }) {
  const { checks } = useTrustListTexts().lists
  // A check without a text is a type error here.
  const known: Readonly<Record<NonNullable<TrustList['check']>, string | undefined>> = checks
  const sentence = check === undefined ? undefined : known[check]
  if (sentence !== undefined) return <span>{sentence}</span>
  return reason === undefined ? null : <Sentence>{reason}</Sentence>
}
