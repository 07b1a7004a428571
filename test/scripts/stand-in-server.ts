/**
 * Replaces the service in tests of `npm start`. It answers the requests of `npm start` and writes a journal to the file
 * JOURNAL, one JSON object per line.
 */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import pg from 'pg'

const { DATABASE_URL: databaseUrl, JOURNAL: journal = 'journal', PORT: port, ...environment } = process.env

const note = (entry: Record<string, unknown>) => appendFileSync(journal, `${JSON.stringify(entry)}\n`)

async function databaseAnswers(): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl ?? '' })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}

if (environment.ISSUER_BASE_URL === undefined) {
  process.stderr.write('Invalid environment variables:\n- ISSUER_BASE_URL must be defined.\n')
  process.exit(1)
}

if (environment.OIDC_JWKS_URL === undefined && environment.AUTH_DISABLED !== 'true') {
  process.stderr.write('OIDC configuration missing. Set OIDC_JWKS_URL.\n')
  process.exit(1)
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.url === '/schemas') note({ posted: JSON.parse(Buffer.concat(chunks).toString()) })
  response.statusCode = request.url === '/schemas' ? Number(environment.SCHEMA_STATUS ?? 201) : 200
  const listed = request.url === `/api/v1/schemas?name=${environment.SCHEMA_LISTED}&limit=1`
  response.end(JSON.stringify(listed ? { items: [{ name: environment.SCHEMA_LISTED, version: 1 }] } : {}))
})

process.on('SIGTERM', async () => {
  note({ signal: 'SIGTERM', databaseAnswers: await databaseAnswers() })
  process.exit(0)
})
process.on('SIGINT', () => note({ signal: 'SIGINT' }))

note({ started: process.pid, databaseUrl, port, environment, databaseAnswers: await databaseAnswers() })
server.listen(Number(port), '127.0.0.1')
