import { SIGNATURE_ALGORITHMS } from '../protocol/jose/algorithms.js'
import { operatorProcedure, router } from '../trpc.js'
import { readSettings } from './settings.contract.js'

export const settingsRouter = router({
  read: operatorProcedure
    .meta(readSettings.meta)
    .input(readSettings.input)
    .output(readSettings.output)
    .query(({ ctx: { deps } }) => ({
      settings: [...deps.config.settings],
      formats: deps.formats.all.map(({ name }) => name),
      algorithms: [...SIGNATURE_ALGORITHMS],
    })),
})
