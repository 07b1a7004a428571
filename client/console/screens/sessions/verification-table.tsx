import type { ListedVerification } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { SessionTable } from './session-table.js'

interface Props {
  readonly label: string
  readonly sessions: readonly ListedVerification[]
}

/** A table of verification sessions. */
export function VerificationTable(props: Props) {
  const { sessions: words } = useTexts()
  return <SessionTable {...props} to="/requests/$id" stateNames={words.requestStates} good={['ResponseVerified']} />
}
