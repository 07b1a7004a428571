import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

// A receiver of webhooks in a process of its own. It records how long after its transition each event arrived for the
// first time. With STATUS it answers another status than 204.
const status = Number(process.env.STATUS ?? 204)

/** The milliseconds between transition and arrival, by the id of the event. */
let delays = new Map()

createServer(async (request, response) => {
  const now = Date.now()
  const { timestamp } = JSON.parse((await text(request)) || '{}')
  const id = request.headers['webhook-id']
  if (!delays.has(id)) delays.set(id, now - Date.parse(timestamp))
  response.writeHead(status).end()
}).listen(Number(process.env.PORT), '127.0.0.1')

process.on('message', () => {
  process.send?.({ delays: [...delays.values()] })
  delays = new Map()
})
process.on('disconnect', () => process.exit())
