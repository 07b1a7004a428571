import { expect } from 'vitest'
import { ConfigurationError, readConfig } from '../../server/config/config.js'

/** An environment with every mandatory variable. */
export const COMPLETE = {
  ISSUER_BASE_URL: 'https://issuer.example',
  VERIFIER_BASE_URL: 'https://verifier.example',
  DATABASE_URL: 'postgres://user:password@database.example/credence',
  OIDC_JWKS_URL: 'https://login.example/jwks',
}

/** A key-encryption key. */
export const KEY = `${'A'.repeat(42)}E`

/** Returns the error text for the operator, or undefined if the configuration is accepted. */
export function refusalOf(environment: NodeJS.ProcessEnv): string | undefined {
  try {
    readConfig(environment)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
}

/** The same, for the complete environment with changes. */
export const refusalWith = (changes: NodeJS.ProcessEnv) => refusalOf({ ...COMPLETE, ...changes })

/** The error text about one variable. */
export const line = (problem: string) => `Invalid environment variables:\n- ${problem}`
