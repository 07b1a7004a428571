import cluster, { type Worker } from 'node:cluster'

/** The questions that the primary process sends to its workers, over the channel between the processes. */
export type Topic = 'metrics' | 'readiness'

type Question = { readonly topic: Topic; readonly question: number }
type Answer = { readonly answerTo: number; readonly answer: unknown }

const isQuestion = (message: unknown): message is Question =>
  typeof message === 'object' && message !== null && 'question' in message && typeof message.question === 'number'

const isAnswer = (message: unknown): message is Answer =>
  typeof message === 'object' && message !== null && 'answerTo' in message && typeof message.answerTo === 'number'

/**
 * Called in a worker: answers questions of the primary process. If making an answer fails, nothing is sent, and the
 * primary process stops waiting after its time limit.
 */
export function answerPrimary(answers: Readonly<Record<Topic, () => Promise<unknown>>>): void {
  const answer = async ({ topic, question }: Question) => {
    const said: Answer = { answerTo: question, answer: await answers[topic]() }
    process.send?.(said, undefined, undefined, () => {})
  }
  process.on('message', (message: unknown) => {
    if (isQuestion(message)) answer(message).catch(() => undefined)
  })
}

/** Asks workers a question, and returns the answers that arrive in time. */
export type AskWorkers = (
  workers: readonly Worker[],
  topic: Topic,
  timeoutMs: number,
) => Promise<ReadonlyMap<Worker, unknown>>

/** Called in the primary process: returns a function that asks workers. */
export function createQuestions(): AskWorkers {
  const waiting = new Map<number, (worker: Worker, answer: unknown) => void>()
  let last = 0
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (isAnswer(message)) waiting.get(message.answerTo)?.(worker, message.answer)
  })
  return (workers, topic, timeoutMs) => {
    last += 1
    const question = last
    const answers = new Map<Worker, unknown>()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        waiting.delete(question)
        resolve(answers)
      }
      const timer = setTimeout(end, timeoutMs)
      waiting.set(question, (worker, answer) => {
        answers.set(worker, answer)
        if (answers.size === workers.length) end()
      })
      const asked: Question = { topic, question }
      // A worker may have just ended. Without a callback, its closed channel would cause an uncaught error.
      for (const worker of workers) worker.process.send?.(asked, undefined, undefined, () => {})
      if (workers.length === 0) end()
    })
  }
}
