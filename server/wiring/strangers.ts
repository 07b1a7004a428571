import { errors } from '../api/errors.js'
import type { Access } from '../auth/access.js'
import { createRequestAccess } from '../auth/request-access.js'
import type { Platform } from './platform.js'

/** Treats every caller as anonymous, whatever credentials a request sends. */
const STRANGERS: Access = {
  user: async () => {
    throw errors.unauthorized()
  },
  client: async () => {
    throw errors.unauthorized()
  },
  optional: async () => ({ caller: undefined, client: false }),
}

/** The platform for requests to the public listener. It treats every caller as anonymous, with and without AUTH_DISABLED. */
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
