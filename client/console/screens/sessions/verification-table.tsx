import type { ListedVerification } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { useAsks } from '../requests/use-asks.js'
import { SessionTable } from './session-table.js'

interface Props {
  readonly label: string
  readonly sessions: readonly ListedVerification[]
}

/** A table of verification sessions. A session without a name is called by what it asks for. */
export function VerificationTable(props: Props) {
  const { sessions: words, search } = useTexts()
  const { titleOf } = useAsks()
  return (
    <SessionTable
      {...props}
      to="/requests/$id"
      stateNames={words.requestStates}
      good={['ResponseVerified']}
      nameless={({ asks }) => titleOf(asks) ?? search.kinds.request}
    />
  )
}
