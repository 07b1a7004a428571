import { errors } from '../api/errors.js'
import type { Access } from '../auth/access.js'
import type { Platform } from './platform.js'

const unauthorized = async (): Promise<never> => {
  throw errors.unauthorized()
}

/** Treats every caller as anonymous and ignores all credentials in requests. */
const STRANGERS: Access = {
  user: unauthorized,
  client: unauthorized,
  optional: async () => ({ caller: undefined, client: false }),
}

/** The platform for requests to the public listener. It treats every caller as anonymous, with and without AUTH_DISABLED. */
export const platformOfStrangers = (platform: Platform): Platform => {
  const config = { ...platform.config, authDisabled: false, console: undefined }
  return {
    ...platform,
    config,
    access: STRANGERS,
    tokens: { ...platform.tokens, user: unauthorized },
    consoleSessions: undefined,
    forStrangers: true,
  }
}
