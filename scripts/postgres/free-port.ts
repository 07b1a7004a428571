import { once } from 'node:events'
import { createServer } from 'node:net'

/** Whether a server could listen at a port now. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** The preferred TCP port of 127.0.0.1 if it is free, otherwise a port that the system chooses. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('There is no free TCP port.')
  return address.port
}

/** A free TCP port of 127.0.0.1 whose next port is free too. After 20 attempts, any free port. */
export async function freePortBeforeFree(): Promise<number> {
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    const port = await freePort()
    if (port < 65_535 && (await isFree(port + 1))) return port
  }
  return freePort()
}
