import { procedure, router } from '../api/trpc.js'
import { readStatistics } from './statistics.contract.js'
import type { Statistics } from './statistics.js'

export const statisticsRouter = ({ read }: Statistics) =>
  router({
    read: procedure(readStatistics).query(({ input }) => read(input)),
  })
