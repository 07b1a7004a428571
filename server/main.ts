import 'dotenv/config'
import cluster from 'node:cluster'
import { pathToFileURL } from 'node:url'
import { type Config, readConfig } from './config/config.js'
import { countInPrimary } from './http/rate-limit-cluster.js'
import type { KeyRing } from './keys/envelope/open.js'
import { createLog, type Log, logDestination } from './log/log.js'
import { listenForOperators, workerSources } from './process/operations.js'
import { prepareDatabase } from './process/prepare.js'
import { whyNotStarted } from './process/start-failure.js'
import { endWhileStarting } from './process/stop-signals.js'
import { giveKeysToWorkers, keysOfPrimary } from './process/worker-keys.js'
import { superviseWorkers } from './process/workers.js'
import { startupWarnings } from './setup/startup-warnings.js'

/** Shows a warning of the start at every LOG_LEVEL: if the log would omit it, it goes to standard error. */
function warn(log: Log, warning: string): void {
  if (log.isLevelEnabled('warn')) log.warn(warning)
  else process.stderr.write(`${warning}\n`)
}

/** Starts the service from its environment. If it cannot start, it exits with 1 and the reason on standard error. */
export async function main(): Promise<void> {
  let config: Config | undefined
  let preparing = false
  let keys: KeyRing | undefined
  endWhileStarting()
  try {
    config = readConfig(process.env)
    const log = createLog(config.logLevel, await logDestination(process.stdout))
    if (cluster.isPrimary) {
      for (const warning of startupWarnings(config)) warn(log, warning)
      preparing = true
      keys = await prepareDatabase(config, log)
      preparing = false
    }
    if (keys !== undefined && config.webConcurrency > 1) {
      giveKeysToWorkers(keys)
      if (config.redisUrl === undefined) countInPrimary(config.rateLimit.windowSeconds)
      await listenForOperators(config, log, workerSources)
      superviseWorkers(config.webConcurrency, config.publicListener.port === undefined ? 1 : 2, log)
    } else {
      // A primary serves no requests, and six sevenths of all files are only for serving.
      const { serve } = await import('./process/serve.js')
      await serve(config, log, keys ?? (await keysOfPrimary()))
    }
  } catch (error) {
    process.stderr.write(`${whyNotStarted(error, config, preparing)}\n`)
    process.exit(1)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main()
