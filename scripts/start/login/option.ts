import type { Environment } from '../environment.js'
import type { RoleNames } from './people.js'

/**
 * Checks that the environment allows `--login`.
 *
 * @throws {Error} with a sentence if a variable or another option contradicts it
 */
export function assertMayLogin(environment: Environment, args: readonly string[]): void {
  const isSet = (name: string) => (environment[name] ?? '') !== ''
  if (environment.NODE_ENV === 'production') {
    throw new Error('--login is for development, not for production: set OIDC_ISSUER and OIDC_CLIENT_ID there.')
  }
  if (args.some((argument) => argument === '--public' || argument.startsWith('--public='))) {
    throw new Error('--login and --public exclude each other: the people of --login are on this machine only.')
  }
  const provided = Object.keys(environment).filter(
    (name) => isSet(name) && (/^OIDC_/.test(name) || ['ISSUER_BASE_URL', 'VERIFIER_BASE_URL'].includes(name)),
  )
  if (provided.length > 0) {
    throw new Error(
      `--login brings its own provider: leave ${provided.sort().join(', ')} out of the environment and .env.`,
    )
  }
  if (environment.AUTH_DISABLED === 'true') {
    throw new Error('--login needs authentication: leave AUTH_DISABLED out of the environment and .env.')
  }
  if (!['', '127.0.0.1', 'localhost', '::1'].includes(environment.HOST ?? '')) {
    throw new Error('With --login the service stays on 127.0.0.1: leave HOST out of the environment and .env.')
  }
}

/** The names of the roles for `--login`, from the environment or by default. */
export const roleNamesIn = ({ ADMIN_ROLE, ISSUER_ROLE, VERIFIER_ROLE }: Environment): RoleNames => ({
  admin: ADMIN_ROLE || 'admin',
  issuer: ISSUER_ROLE || 'issuer',
  verifier: VERIFIER_ROLE || 'verifier',
})
