import { dueRows, type MaintenanceTask } from '../../../maintenance/task.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import type { Work } from '../../../protocol/work.js'
import type { Authorize } from './authorize.js'
import type { ShowConsent } from './consent.js'
import type { createDecideAtOnce, createDecideStepwise, Decision } from './decide.js'
import type { UserLogin } from './login.js'
import type { PushRequest } from './par.js'
import type { AuthorizationStore } from './store.js'
import type { BrowserRequest } from './visits.js'

/** Dependencies of {@link createAuthorizations}. */
export interface AuthorizationsPorts {
  readonly pushRequest: PushRequest
  readonly authorize: Authorize
  readonly endLogin: UserLogin['endLogin']
  readonly showConsent: ShowConsent
  readonly decideAtOnce: ReturnType<typeof createDecideAtOnce>
  readonly decideStepwise: ReturnType<typeof createDecideStepwise>
  readonly store: Pick<AuthorizationStore, 'removeExpired'>
}

export type Authorizations = ReturnType<typeof createAuthorizations>

/** The authorization code flow up to the code: pushed requests, and the pages in a person's browser. */
export function createAuthorizations({
  pushRequest,
  authorize,
  endLogin,
  showConsent,
  decideAtOnce,
  decideStepwise,
  store,
}: AuthorizationsPorts) {
  const tasks: readonly MaintenanceTask[] = [
    dueRows({
      name: 'remove authorizations',
      everyMs: 60_000,
      seconds: 3_600,
      batch: store.removeExpired,
    }),
  ]
  return {
    tasks,
    pushRequest,
    authorize,
    endLogin,
    showConsent,

    /**
     * Takes the decision once and redirects the browser to the wallet.
     *
     * @param work the budget for the check of the form
     */
    decide: async (request: BrowserRequest, sent: Decision, work: Work): Promise<ProtocolReply> =>
      (await decideAtOnce(request, sent)) ?? decideStepwise(request, sent, work),
  }
}
