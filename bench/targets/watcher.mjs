// A second process of the installation. It has readers of many sessions and does no other work. It records the arrival
// of each event.
const dist = new URL('../../dist/server/', import.meta.url)
const { connectDatabase } = await import(new URL('database/connect.js', dist).href)
const { createEventStore } = await import(new URL('events/store.js', dist).href)
const { createEvents } = await import(new URL('events/stream.js', dist).href)
const { eventTransport } = await import(new URL('events/transports/configured.js', dist).href)
const { createLog } = await import(new URL('log/log.js', dist).href)

const { databaseUrl, transport, transportUrl, key, sessions } = JSON.parse(process.env.WATCH ?? '')
const log = createLog('silent')
const database = connectDatabase(databaseUrl)
const store = createEventStore(database)
const events = createEvents({
  store,
  transport: await eventTransport({ events: { transport, url: transportUrl }, directDatabaseUrl: databaseUrl }, log),
  key: Buffer.from(key, 'base64url'),
  log,
  clock: () => new Date(),
  limits: { perCaller: 0, process: sessions.length },
})

/**
 * The recorded events, as three numbers for each event: the session's number, the event's number, and the time of
 * arrival.
 */
let seen = []

for (const [number, sessionId] of sessions.entries()) {
  const stream = await events.stream({
    sessionId,
    current: async () => (await store.after([{ sessionId, after: 0 }])).at(-1),
    caller: { sub: 'bench' },
    signal: new AbortController().signal,
  })
  void (async () => {
    for await (const [seq] of stream) seen.push(number, Number(seq), Number(process.hrtime.bigint()) / 1e6)
  })()
}

process.on('message', () => {
  process.send?.({ seen })
  seen = []
})
process.on('disconnect', () => process.exit())
