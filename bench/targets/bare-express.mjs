import express from 'express'
import { answerMemory } from './memory.mjs'

// A server for comparison. It shows the cost of Express 5 itself for an answer as large as the answer of GET /version,
// and for an open stream.
const app = express()

app.get('/version', (_request, response) => {
  response.json({ name: 'credence', version: '0.1.0' })
})

const listeners = new Set()
app.get('/events', (request, response) => {
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.write('event: session\ndata: {}\n\n')
  const heartbeat = setInterval(() => response.write('event: ping\ndata: keepalive\n\n'), 15_000)
  listeners.add(response)
  request.on('close', () => {
    clearInterval(heartbeat)
    listeners.delete(response)
  })
})

answerMemory({
  publish: () => {
    for (const listener of listeners) listener.write('event: session\ndata: {"published":true}\n\n')
  },
})
app.listen(Number(process.env.PORT), '127.0.0.1')
