import { procedure, router } from '../api/trpc.js'
import { statisticsOf } from './read.js'
import { readStatistics } from './statistics.contract.js'

export const statisticsRouter = router({
  read: procedure(readStatistics).query(({ ctx: { deps }, input }) => statisticsOf(deps, input)),
})
