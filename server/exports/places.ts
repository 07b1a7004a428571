import { errors } from '../api/errors.js'

/** Maximum number of simultaneous downloads: of one caller, and of all callers in this process. */
export interface DownloadLimits {
  readonly perCaller: number
  readonly process: number
}

/** Each download uses at most one connection of the database at a time. */
export const DOWNLOAD_LIMITS: DownloadLimits = { perCaller: 2, process: 4 }

export type DownloadPlaces = ReturnType<typeof createDownloadPlaces>

/** Counts the downloads of this process. */
export function createDownloadPlaces({ perCaller, process }: DownloadLimits = DOWNLOAD_LIMITS) {
  const byCaller = new Map<string, number>()
  let taken = 0
  return {
    /**
     * Takes a place for a caller.
     *
     * @returns a function that gives the place back; only its first call counts
     * @throws 429 if the caller has no place left, 503 if the process has none
     */
    take(caller: string): () => void {
      const own = byCaller.get(caller) ?? 0
      if (own >= perCaller) throw errors.tooManyDownloads()
      if (taken >= process) throw errors.noDownloadLeft()
      taken += 1
      byCaller.set(caller, own + 1)
      let isGiven = false
      return () => {
        if (isGiven) return
        isGiven = true
        taken -= 1
        const left = (byCaller.get(caller) ?? 0) - 1
        if (left > 0) byCaller.set(caller, left)
        else byCaller.delete(caller)
      }
    },
  }
}
