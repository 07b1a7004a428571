import type { DcqlQuery } from '../../../../server/protocol/openid4vp/dcql/dcql-query.js'
import {
  checkVpTokenIds,
  type DcqlMismatch,
  type DcqlPresentation,
  matchPresentation,
} from '../../../../server/protocol/openid4vp/dcql/match.js'
import type { Work } from '../../../../server/protocol/work.js'

/** Returns all errors of a response: first the errors of its ids, then the errors of each presentation. */
export function matchDcql(
  query: DcqlQuery,
  presentations: Readonly<Record<string, readonly DcqlPresentation[]>>,
  work: Work,
): readonly DcqlMismatch[] {
  const ids = Object.entries(presentations).map(([id, { length }]): [string, number] => [id, length])
  return [
    ...checkVpTokenIds(query, ids),
    ...query.credentials.flatMap((credential) =>
      (presentations[credential.id] ?? []).flatMap((presentation) => matchPresentation(credential, presentation, work)),
    ),
  ]
}
