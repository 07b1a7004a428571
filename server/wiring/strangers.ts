import { errors } from '../api/errors.js'
import type { Access } from '../auth/access.js'
import { createRequestAccess } from '../auth/request-access.js'
import type { Platform } from './platform.js'

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
export const platformOfStrangers = (platform: Platform): Platform => {
  const config = { ...platform.config, authDisabled: false, console: undefined }
  return {
    ...platform,
    config,
    access: STRANGERS,
    accessOf: createRequestAccess({ access: STRANGERS, config, isHolderOf: async () => false }),
    consoleSessions: undefined,
    forStrangers: true,
  }
}
