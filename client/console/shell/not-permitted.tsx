import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Operation } from '../operations.js'
import { rolesFor } from '../queries/session.js'
import { useTexts } from '../texts/use-texts.js'
import { Asked } from '../ui/asked.js'
import { Screen } from '../ui/screen.js'

/** The screen in place of a screen that the user may not open. It names the roles that allow it. */
export function NotPermitted({ operation }: { readonly operation: Operation }) {
  const { common, session: words } = useTexts()
  return (
    <Screen title={words.noRoleTitle}>
      <Asked query={useQuery(rolesFor(operation))}>{({ roles }) => <p>{words.noRole(roles)}</p>}</Asked>
      <p>{words.askForRole}</p>
      <p>
        <Link to="/">{common.toOverview}</Link>
      </p>
    </Screen>
  )
}
