import { type Config, ConfigurationError } from '../config/config.js'
import { isDatabaseUnavailable } from '../database/errors.js'
import { MigrationError } from '../database/migration-error.js'

/**
 * Error codes for a database that cannot be reached (of Node.js), and for a database that refuses connections
 * (SQLSTATEs for authorization, catalog name and connection).
 */
const DATABASE_REFUSES =
  /^(ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|28[0-9A-Z]{3}|3D000|08[0-9A-Z]{3}|53300|57P0\d)$/

/**
 * The reason for the failed start of the service or a command. If the cause is in the environment, the text says so in
 * words for the operator.
 *
 * @param preparing true if the start failed while preparing the database. For this step, the process connects without a
 * pooler.
 */
export function whyNotStarted(thrown: unknown, config: Config | undefined, preparing = false): string {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  if (error instanceof ConfigurationError || error instanceof MigrationError || config === undefined)
    return error.message
  const { code = '', syscall, port } = error as { code?: string; syscall?: string; port?: number }
  const isPublic = port !== undefined && port !== config.port && port === config.publicListener.port
  const { host, port: chosen } = isPublic ? config.publicListener : config
  const [place, of] = [`${host}:${chosen}`, isPublic ? 'PUBLIC_' : '']
  if (code === 'EADDRINUSE')
    return `${place} is already in use. Set ${of}PORT to another one, or stop what listens there.`
  if (syscall === 'listen' || syscall === 'bind')
    return `${place} cannot be listened on (${code}). Check ${of}HOST and ${of}PORT.`
  const direct = preparing && config.directDatabaseUrl !== config.databaseUrl
  const unusable = `The database of ${direct ? 'DIRECT_DATABASE_URL' : 'DATABASE_URL'} cannot be used`
  if (DATABASE_REFUSES.test(code)) return `${unusable} (${code}). ${error.message}`.trim()
  // The message of Prisma begins with the failed call. Its last line is the reason.
  if (isDatabaseUnavailable(error)) return `${unusable}. ${error.message.trim().split('\n').at(-1)}`
  return error.stack ?? error.message
}
