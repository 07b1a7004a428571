import { operatorProcedure, router } from '../trpc.js'
import { statisticsOf } from './read.js'
import { readStatistics } from './statistics.contract.js'

export const statisticsRouter = router({
  read: operatorProcedure
    .meta(readStatistics.meta)
    .input(readStatistics.input)
    .output(readStatistics.output)
    .query(({ ctx: { deps }, input }) => statisticsOf(deps, input)),
})
