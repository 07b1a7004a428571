import type { StatusJob } from '../../queries/status-jobs.js'
import { useTexts } from '../../texts/use-texts.js'

/** How many credentials cannot get the status, by cause. */
export function Failures({ failures }: { readonly failures: StatusJob['failures'] }) {
  const { statusJobs: words } = useTexts()
  const causes = (['revoked', 'notSuspendable', 'removed'] as const).flatMap((cause) => {
    const count = failures[cause] ?? 0
    return count === 0 ? [] : [[cause, words.failures[cause](count)] as const]
  })
  if (causes.length === 0) return null
  return (
    <ul className="plain">
      {causes.map(([cause, sentence]) => (
        <li key={cause}>{sentence}</li>
      ))}
    </ul>
  )
}
