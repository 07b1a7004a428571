import type { ListedCredential } from '../../queries/credentials.js'
import { useTexts } from '../../texts/use-texts.js'
import { Tag } from '../../ui/tag.js'

const TONES = { active: 'good', suspended: 'warn', expired: 'ended', revoked: 'bad' } as const

/** The status of a credential, or of one instance, in words. */
export function StatusTag({ status }: Pick<ListedCredential, 'status'>) {
  const { credentials: words } = useTexts()
  return <Tag tone={TONES[status]}>{words.statuses[status]}</Tag>
}
