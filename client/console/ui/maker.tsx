import { useQuery } from '@tanstack/react-query'
import { session } from '../queries/session.js'
import { useTexts } from '../texts/use-texts.js'
import { IdOnDemand } from './id-on-demand.js'

/** Many identity providers name users by a UUID (RFC 9562 §4), which tells people nothing. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The caller who created an entry of a list. @param sub absent for the client secret */
export function Maker({ sub }: { readonly sub: string | undefined }) {
  const { sessions: words } = useTexts()
  const { data } = useQuery(session)
  if (sub === undefined) return <span className="soft">{words.byBackend}</span>
  if (data?.user?.sub === sub) return <span>{words.byMe}</span>
  if (!UUID.test(sub)) return <span className="id">{sub}</span>
  return (
    <>
      {words.byOther} <IdOnDemand id={sub} what={words.by} />
    </>
  )
}
