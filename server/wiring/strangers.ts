import { errors } from '../api/errors.js'
import type { Access } from '../auth/access.js'
import { createRequestAccess } from '../auth/request-access.js'
import type { Deps } from '../deps.js'

/** Everybody is a stranger, whatever a request sends. */
const STRANGERS: Access = {
  user: async () => {
    throw errors.unauthorized()
  },
  client: async () => {
    throw errors.unauthorized()
  },
  optional: async () => ({ caller: undefined, client: false }),
}

/** What requests may use that came by the public listener: everybody is a stranger there, AUTH_DISABLED or not. */
export const depsOfStrangers = (deps: Deps): Deps => {
  const config = { ...deps.config, authDisabled: false, console: undefined }
  return {
    ...deps,
    config,
    access: STRANGERS,
    accessOf: createRequestAccess({ access: STRANGERS, config, isHolderOf: async () => false }),
    consoleSessions: undefined,
    forStrangers: true,
  }
}
