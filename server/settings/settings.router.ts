import { procedure, router } from '../api/trpc.js'
import { SIGNATURE_ALGORITHMS } from '../protocol/jose/algorithms.js'
import { readSettings } from './settings.contract.js'

export const settingsRouter = router({
  read: procedure(readSettings).query(({ ctx: { deps } }) => ({
    settings: [...deps.config.settings],
    formats: deps.formats.all.map(({ name }) => name),
    algorithms: [...SIGNATURE_ALGORITHMS],
  })),
})
