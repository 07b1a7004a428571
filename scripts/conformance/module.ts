import { setTimeout as sleep } from 'node:timers/promises'
import type { LogEntry, Plan, PlannedModule, Shown, Suite } from './suite/client.js'

/** The state of a running module, as a player sees it. */
export interface Running {
  readonly name: string
  readonly variant: Readonly<Record<string, string>>
  readonly shown: Shown
  /** The log of the module so far. */
  readonly log: readonly LogEntry[]
  /** Reports to the suite that an address was opened. */
  visited(url: string): Promise<void>
  /** Adds a sentence to the report. */
  note(sentence: string): void
}

/** Acts for the product in one module. */
export interface Player {
  /** Does the next step. @returns false if there was nothing to do */
  act(running: Running): Promise<boolean>
  /**
   * Called when the suite asks for a screenshot. Checks whether the product acted correctly.
   *
   * @returns undefined if the product acted correctly; otherwise the reason why no screenshot is uploaded
   */
  evidence(running: Running): Promise<string | undefined>
}

/** How one module ended. */
export interface Outcome {
  readonly module: string
  readonly variant: Readonly<Record<string, string>>
  /** PASSED, WARNING, REVIEW, FAILED or SKIPPED; WAITING if the module did not end. */
  readonly outcome: string
  readonly seconds: number
  readonly id: string
  /** The name and the message of each failed condition. */
  readonly conditions: readonly string[]
  readonly notes: readonly string[]
}

export interface ModuleLimits {
  /** A module without a next step is ended after this time. */
  readonly idleMs: number
  readonly pollMs: number
}

/**
 * A picture of one white pixel. A run has no screen to take a picture of. `evidence` has checked the result instead.
 */
const SCREENSHOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8////fwAJ+wP9BUNFygAAAABJRU5ErkJggg=='

const BAD = new Set(['FAILURE', 'WARNING', 'INTERRUPTED'])

const conditionsOf = (log: readonly LogEntry[]) =>
  log.filter(({ result }) => BAD.has(result ?? '')).map(({ result, src, msg }) => `${result} ${src}: ${msg ?? ''}`)

/** Log entries may arrive late, so the entries of the last two seconds are read again. */
const OVERLAP_MS = 2_000

/** The log of a module, read piece by piece. */
function logReader(suite: Suite, id: string) {
  const entries = new Map<string, LogEntry>()
  let since: number | undefined
  return async () => {
    for (const entry of await suite.log(id, since)) {
      entries.set(entry._id, entry)
      since = Math.max(since ?? 0, (entry.time ?? 0) - OVERLAP_MS)
    }
    return [...entries.values()]
  }
}

/**
 * Runs one module of a plan to its end.
 *
 * @param newPlayer makes the product's side of the module
 */
export async function runModule(
  suite: Suite,
  plan: Plan,
  module: PlannedModule,
  newPlayer: () => Player,
  { idleMs, pollMs }: ModuleLimits,
): Promise<Outcome> {
  const begun = performance.now()
  const id = await suite.createModule(plan.id, module)
  const readLog = logReader(suite, id)
  const player = newPlayer()
  const notes: string[] = []
  const uploaded = new Set<string>()
  let missingEvidence: string | undefined
  const variant = module.variant ?? {}

  const ended = async (outcome: string): Promise<Outcome> => ({
    module: module.testModule,
    variant,
    outcome,
    seconds: Math.round((performance.now() - begun) / 100) / 10,
    id,
    conditions: conditionsOf(await readLog()),
    notes,
  })

  async function upload(running: Running): Promise<boolean> {
    const missing = running.log.find(({ upload }) => upload && !uploaded.has(upload))
    if (!missing?.upload) return false
    missingEvidence = await player.evidence(running)
    if (missingEvidence !== undefined) return false
    uploaded.add(missing.upload)
    await suite.uploadImage(id, missing.upload, SCREENSHOT)
    return true
  }

  async function act(): Promise<boolean> {
    const shown = await suite.shown(id)
    if (shown === undefined) return false
    const running: Running = {
      name: module.testModule,
      variant,
      shown,
      log: await readLog(),
      visited: (url) => suite.visited(id, url),
      note: (sentence) => {
        if (notes.at(-1) !== sentence) notes.push(sentence)
      },
    }
    try {
      return (await player.act(running)) || (await upload(running))
    } catch (error) {
      notes.push(error instanceof Error ? error.message : String(error))
      return false
    }
  }

  let lastProgress = performance.now()
  let configured = 0
  while (performance.now() - lastProgress < idleMs) {
    const { status, result } = await suite.info(id)
    // An interrupted module has failed. Its result is not read, because the suite may not have written it yet.
    if (status === 'INTERRUPTED') return ended('FAILED')
    if (status === 'FINISHED') return ended(result ?? 'UNKNOWN')
    configured = status === 'CONFIGURED' ? configured + 1 : 0
    // Most modules start by themselves. A module that does not start is started here.
    if (configured === 2) await suite.start(id)
    if (status === 'WAITING' ? await act() : status === 'RUNNING') lastProgress = performance.now()
    await sleep(pollMs)
  }
  if (missingEvidence !== undefined) notes.push(`No screenshot: ${missingEvidence}`)
  const { result } = await suite.info(id)
  const waiting = await ended(result === 'FAILED' ? 'FAILED' : 'WAITING')
  await suite.cancel(id)
  return waiting
}
