import cluster, { type Worker } from 'node:cluster'
import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit'

/**
 * The messages between processes: the questions of workers to the primary process, and the answers of the primary
 * process.
 */
type Question = { rateLimit: 'hit' | 'undo' | 'reset'; id: number; key: string }
type Answer = { rateLimit: 'answer'; id: number; totalHits: number; resetTime: string | undefined }

const QUESTIONS: ReadonlySet<unknown> = new Set<Question['rateLimit']>(['hit', 'undo', 'reset'])

const isQuestion = (message: unknown): message is Question =>
  typeof message === 'object' && message !== null && 'rateLimit' in message && QUESTIONS.has(message.rateLimit)

const isAnswer = (message: unknown): message is Answer =>
  typeof message === 'object' && message !== null && 'rateLimit' in message && message.rateLimit === 'answer'

/** Counts requests in the primary process, so that all workers share one limit for each client. */
export function countInPrimary(windowSeconds: number): void {
  const store = new MemoryStore()
  // `MemoryStore` reads no other option.
  store.init({ windowMs: windowSeconds * 1000 } as Options)
  const answer = async (worker: Worker, question: Question) => {
    if (question.rateLimit === 'undo') return store.decrement(question.key)
    if (question.rateLimit === 'reset') return store.resetKey(question.key)
    const { totalHits, resetTime } = await store.increment(question.key)
    const { id } = question
    const said: Answer = { rateLimit: 'answer', id, totalHits, resetTime: resetTime?.toISOString() }
    // The worker may have ended. Without a callback, the closed channel would cause an uncaught error.
    if (worker.isConnected()) worker.process.send?.(said, undefined, undefined, () => {})
  }
  let turn = Promise.resolve()
  cluster.on('message', (worker: Worker, message: unknown) => {
    // Questions are answered one at a time, because `increment` returns an object that the next question changes.
    if (isQuestion(message)) turn = turn.then(() => answer(worker, message))
  })
}

/** The store in a worker. It asks the primary process. */
export class PrimaryStore implements Store {
  readonly localKeys = false
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  constructor() {
    process.on('message', (message: unknown) => {
      if (!isAnswer(message)) return
      this.#waiting.get(message.id)?.(message)
      this.#waiting.delete(message.id)
    })
  }

  increment(key: string): Promise<ClientRateLimitInfo> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve) => {
      this.#waiting.set(id, ({ totalHits, resetTime }) =>
        resolve({ totalHits, resetTime: resetTime === undefined ? undefined : new Date(resetTime) }),
      )
      this.#send({ rateLimit: 'hit', id, key })
    })
  }

  decrement(key: string): void {
    this.#send({ rateLimit: 'undo', id: 0, key })
  }

  resetKey(key: string): void {
    this.#send({ rateLimit: 'reset', id: 0, key })
  }

  #send(question: Question): void {
    process.send?.(question)
  }
}
