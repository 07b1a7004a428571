import type { ListedCredential } from '../../queries/credentials.js'
import { useTexts } from '../../texts/use-texts.js'

const TONES = { active: 'tag good', suspended: 'tag warn', revoked: 'tag bad' } as const

/** The status of a credential, or of one instance, in words. */
export function StatusTag({ status }: Pick<ListedCredential, 'status'>) {
  const { credentials: words } = useTexts()
  return <span className={TONES[status]}>{words.statuses[status]}</span>
}
