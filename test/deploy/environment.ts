import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../../server/config/config.js'
import { VARIABLES } from '../../server/config/variables.js'

export const root = resolve(import.meta.dirname, '../..')
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

export type Environment = Readonly<Record<string, string>>

/** Reads the variables of a file with one `NAME=value` in each line. */
export const environmentOf = (text: string): Environment =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

/** Variables that the image sets, read from the Dockerfile. */
export function imageEnvironment(): Environment {
  const [, variables = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(read('Dockerfile')) ?? []
  return environmentOf(variables.replace(/ *\\\n */g, '\n'))
}

/** Example values for the secrets that a deployment leaves empty and that only the operator knows. */
export const SECRETS: Environment = {
  DATABASE_URL: 'postgresql://credence:secret@pooler:6432/credence?pgbouncer=true',
  DIRECT_DATABASE_URL: 'postgresql://credence:secret@postgres:5432/credence',
  DATABASE_REPLICA_URL: 'postgresql://credence:secret@replica:5432/credence',
  REDIS_URL: 'redis://redis:6379',
  CLIENT_SECRET: 'secret',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64url'),
}

/** Finds the variables that no process of this version reads. */
export const unknownVariables = (environment: Environment): string[] =>
  Object.keys(environment).filter((name) => !VARIABLES.includes(name) && !name.startsWith('NODE_'))

/** The configuration that a process of the image starts with. */
export const configOf = (environment: Environment): Config => readConfig({ ...imageEnvironment(), ...environment })

/**
 * Returns the seconds that a process needs to stop: its delay, 25 seconds for current requests, and 5 seconds to close
 * connections.
 */
export const stopSeconds = (config: Config): number => config.shutdownDelaySeconds + 30

/** Whether the image contains the program of a command: a file of the build whose source exists. */
export function isInImage([program, file = '']: readonly string[]): boolean {
  const source = file.replace(/^dist\/(server\/.+)\.js$/, '$1.ts')
  return program === 'node' && source !== file && existsSync(join(root, source))
}
