import { WORK_PER_REQUEST } from '../../server/api/context.js'
import { Work } from '../../server/protocol/work.js'

/** The work budget of one request. */
export const requestWork = (): Work => new Work(WORK_PER_REQUEST)
