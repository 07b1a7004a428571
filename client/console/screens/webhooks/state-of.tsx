import type { Webhook } from '../../queries/webhooks.js'
import { useTexts } from '../../texts/use-texts.js'
import { Tag } from '../../ui/tag.js'

/** Whether a webhook receives events, in words. */
export function StateOf({ webhook }: { readonly webhook: Webhook }) {
  const { webhooks: words } = useTexts()
  if (webhook.disabledAt !== undefined) return <Tag tone="bad">{words.states.disabled}</Tag>
  if (!webhook.active) return <Tag tone="ended">{words.states.inactive}</Tag>
  return webhook.failingSince === undefined ? (
    <Tag tone="good">{words.states.active}</Tag>
  ) : (
    <Tag tone="warn">{words.states.failing}</Tag>
  )
}
