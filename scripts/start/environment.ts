import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'dotenv'

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment, with the variables of .env. A variable of the environment has precedence, even if it is empty. */
export function readEnvironment(environment: Environment, file: string): Environment {
  return existsSync(file) ? { ...parse(readFileSync(file)), ...environment } : environment
}
