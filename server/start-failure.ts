import { type Config, ConfigurationError } from './config.js'
import { MigrationError } from './database/migration-error.js'

/** A database that cannot be reached (Node's codes), or that refuses (SQLSTATE: authorization, catalog name, connection). */
const DATABASE_REFUSES =
  /^(ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|28[0-9A-Z]{3}|3D000|08[0-9A-Z]{3}|53300|57P0\d)$/

/** Why a start failed, of the service or of a command: a message for the operator where the environment is the cause. */
export function whyNotStarted(thrown: unknown, config: Config | undefined): string {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  if (error instanceof ConfigurationError || error instanceof MigrationError || config === undefined)
    return error.message
  const { code = '', syscall } = error as { code?: string; syscall?: string }
  const place = `${config.host}:${config.port}`
  if (code === 'EADDRINUSE') return `${place} is already in use. Set PORT to another one, or stop what listens there.`
  if (syscall === 'listen' || syscall === 'bind')
    return `${place} cannot be listened on (${code}). Check HOST and PORT.`
  if (DATABASE_REFUSES.test(code))
    return `The database of DATABASE_URL cannot be used (${code}). ${error.message}`.trim()
  return error.stack ?? error.message
}
