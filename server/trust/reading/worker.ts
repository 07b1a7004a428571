import { parentPort } from 'node:worker_threads'
import { ENTITIES_IN_MESSAGE, type ReadJob, readHere, type WorkerMessage } from './content.js'

/** The thread that reads long lists, so that requests are answered meanwhile. */
function answer(port: NonNullable<typeof parentPort>): void {
  const send = (message: WorkerMessage) => port.postMessage(message)
  port.on('message', async ({ id, bytes, job }: { id: number; bytes: Uint8Array; job: ReadJob }) => {
    try {
      const read = await readHere(bytes, job)
      if (!read.accepted) send({ id, answer: read })
      else {
        const { entities } = read.list
        send({ id, answer: { ...read, list: { ...read.list, entities: [] } } })
        for (let at = 0; at < entities.length; at += ENTITIES_IN_MESSAGE)
          send({ id, entities: entities.slice(at, at + ENTITIES_IN_MESSAGE) })
      }
      send({ id, end: true })
    } catch (error) {
      send({ id, fault: error instanceof Error ? error.message : String(error) })
    }
  })
}

if (parentPort !== null) answer(parentPort)
