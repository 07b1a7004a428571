import { procedure, router } from '../api/trpc.js'
import { readSetup } from './setup.contract.js'
import type { Setup } from './setup.js'

export const setupRouter = (setup: Setup) =>
  router({
    read: procedure(readSetup).query(({ input: { ask } }) => setup.read(ask)),
  })
