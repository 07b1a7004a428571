import type { ListedCredential } from '../../queries/credentials.js'
import { useTexts } from '../../texts/use-texts.js'

/** The status of a credential, or of one instance, in words. */
export function StatusTag({ status }: Pick<ListedCredential, 'status'>) {
  const { credentials: words } = useTexts()
  return <span className={status === 'active' ? 'tag good' : 'tag bad'}>{words.statuses[status]}</span>
}
