import { KeyObject } from 'node:crypto'
import type { z } from 'zod'
import { consoleProblems } from './console.js'
import type { Environment } from './variables.js'

/** The problems of single values. */
function valueProblems(error: z.ZodError): string[] {
  return error.issues.map((issue) => `- ${issue.path.join('.')} ${issue.message}`)
}

/** True if the database address leads to a transaction pooler. */
const isPooled = (address: string | undefined) =>
  address !== undefined && URL.canParse(address) && new URL(address).searchParams.get('pgbouncer') === 'true'

/** Whether something can prove the issuer of a credential by its certificate. */
const hasRoots = ({ TRUST_ANCHORS, TRUST_LISTS }: NodeJS.ProcessEnv) =>
  TRUST_ANCHORS !== undefined || TRUST_LISTS !== undefined

/** Checks the rules that concern several variables. Each violation adds one line to the error. */
function crossProblems(input: NodeJS.ProcessEnv): string[] {
  const problems: string[] = []
  if (input.ALLOW_INSECURE_HTTP !== 'true') {
    for (const name of ['ISSUER_BASE_URL', 'VERIFIER_BASE_URL']) {
      if (/^http:/i.test(input[name] ?? '')) {
        problems.push(`- ${name} must be an https URL unless ALLOW_INSECURE_HTTP is true.`)
      }
    }
  }
  if (input.ALLOW_INSECURE_HTTP !== 'true' && /(^|[\s,])http:/i.test(input.TRUSTED_ISSUERS ?? '')) {
    problems.push('- TRUSTED_ISSUERS must list https origins unless ALLOW_INSECURE_HTTP is true.')
  }
  if (/(^|[\s,])x5c($|[\s,])/.test(input.TRUSTED_ISSUERS ?? '') && !hasRoots(input)) {
    problems.push('- TRUST_ANCHORS or TRUST_LISTS must be defined where TRUSTED_ISSUERS lists x5c.')
  }
  for (const [transport, name] of [
    ['redis', 'REDIS_URL'],
    ['nats', 'NATS_URL'],
  ]) {
    if (input.EVENTS === transport && input[name ?? ''] === undefined)
      problems.push(`- ${name} must be defined where EVENTS is ${transport}.`)
  }
  if (isPooled(input.DATABASE_URL) && input.DIRECT_DATABASE_URL === undefined)
    problems.push('- DIRECT_DATABASE_URL must be defined where DATABASE_URL has pgbouncer=true.')
  if (isPooled(input.DIRECT_DATABASE_URL)) problems.push('- DIRECT_DATABASE_URL must not have pgbouncer=true.')
  for (const name of ['METRICS_PORT', 'PUBLIC_PORT']) {
    const port = input[name]
    if (port !== undefined && port !== '0' && port === (input.PORT ?? '3000'))
      problems.push(`- ${name} must be another port than PORT.`)
  }
  if (input.ISSUER_PROFILE === 'haip') {
    for (const name of ['ISSUER_X509', 'WALLET_TRUST_ANCHORS']) {
      if (input[name] === undefined) problems.push(`- ${name} must be defined where ISSUER_PROFILE is haip.`)
    }
    if (input.ISSUER_LEGACY_PROFILES !== undefined)
      problems.push('- ISSUER_LEGACY_PROFILES must not be set where ISSUER_PROFILE is haip.')
  }
  if (input.ISSUER_SIGNING === 'delegated' && input.ISSUER_X509 === undefined)
    problems.push('- ISSUER_X509 must be defined where ISSUER_SIGNING is delegated.')
  if (input.VERIFIER_PROFILE === 'haip') {
    if (input.VERIFIER_X509 === undefined)
      problems.push('- VERIFIER_X509 must be defined where VERIFIER_PROFILE is haip.')
    if (!hasRoots(input))
      problems.push('- TRUST_ANCHORS or TRUST_LISTS must be defined where VERIFIER_PROFILE is haip.')
    if (input.VERIFIER_LEGACY_PROFILES !== undefined)
      problems.push('- VERIFIER_LEGACY_PROFILES must not be set where VERIFIER_PROFILE is haip.')
  }
  // The role `admin` of a token is ignored if ADMIN_ROLE is a different role, so it could not let anybody issue.
  for (const name of ['ISSUER_ROLE', 'VERIFIER_ROLE']) {
    if (input[name] === 'admin' && (input.ADMIN_ROLE ?? 'admin') !== 'admin')
      problems.push(`- ${name} must not be admin where ADMIN_ROLE is another role.`)
  }
  const encrypts = input.KEY_ENCRYPTION_KEY !== undefined || input.KEY_ENCRYPTION_PROVIDER !== undefined
  for (const name of ['KEY_ENCRYPTION_KEY_PREVIOUS', 'KEY_ENCRYPTION_PROVIDER_PREVIOUS']) {
    if (input[name] !== undefined && !encrypts)
      problems.push(`- KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER must be defined where ${name} is.`)
  }
  if (input.KEY_ENCRYPTION_KEY !== undefined && input.KEY_ENCRYPTION_PROVIDER !== undefined)
    problems.push(
      '- KEY_ENCRYPTION_KEY and KEY_ENCRYPTION_PROVIDER must not both be set. The former key is KEY_ENCRYPTION_KEY_PREVIOUS.',
    )
  if (
    input.KEY_ENCRYPTION_PROVIDER !== undefined &&
    input.KEY_ENCRYPTION_PROVIDER === input.KEY_ENCRYPTION_PROVIDER_PREVIOUS
  )
    problems.push('- KEY_ENCRYPTION_PROVIDER_PREVIOUS must name another key than KEY_ENCRYPTION_PROVIDER.')
  return problems
}

/** A list over plain http could be replaced by anybody on the way, even though its signature is checked. */
function trustListProblems(env: Environment): string[] {
  const plain = env.TRUST_LISTS.findIndex(({ url: address }) => address.startsWith('http:'))
  const problems =
    plain < 0 || env.ALLOW_INSECURE_HTTP
      ? []
      : [`- TRUST_LISTS must list https URLs unless ALLOW_INSECURE_HTTP is true: ${plain}.url is none.`]
  const isNeeded = env.TRUSTED_ISSUERS?.includes('x5c') === true || env.VERIFIER_PROFILE === 'haip'
  const isEmpty = env.TRUST_LISTS.every(({ purpose }) => purpose !== 'credentials')
  const isMissing = env.TRUST_ANCHORS.length === 0 && isEmpty && env.TRUST_LISTS.length > 0
  if (isNeeded && isMissing)
    problems.push('- TRUST_LISTS must have a list with the purpose credentials, or TRUST_ANCHORS must be defined.')
  return problems
}

/** A list must not expire while its copies may still be used (Token Status List §4.2). */
function statusListProblems({
  STATUS_LIST_TTL_SECONDS: ttl,
  STATUS_LIST_EXPIRY_SECONDS: expiry,
}: Environment): string[] {
  return expiry < ttl ? ['- STATUS_LIST_EXPIRY_SECONDS must not be less than STATUS_LIST_TTL_SECONDS.'] : []
}

/**
 * Two records must not have the same key, because a signature must show which record signed, and the DID of a key must
 * name one record.
 */
function keyProblems({ ISSUER_X509: issuer, VERIFIER_X509: verifier, ...env }: Environment): string[] {
  const leaves = [issuer?.chain[0]?.publicKey, verifier?.chain[0]?.publicKey]
  const isSame = leaves[0] !== undefined && leaves[1] !== undefined && leaves[0].equals(leaves[1])
  const ofWallets = env.WALLET_PROVIDER_X509
  return [
    ...(isSame ? ['- ISSUER_X509 and VERIFIER_X509 must hold different keys.'] : []),
    ...(ofWallets === undefined || ofWallets.key instanceof KeyObject
      ? []
      : ['- WALLET_PROVIDER_X509 must hold a private key.']),
  ]
}

/**
 * Checks the variables for sign-in. Sign-in needs OIDC_ISSUER. OIDC_JWKS_URL alone is not enough, because it leads only
 * to keys.
 */
function signInProblems(input: NodeJS.ProcessEnv): string[] {
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret, OIDC_ISSUER: issuer } = input
  if (clientId === undefined) {
    return secret === undefined ? [] : ['- OIDC_CLIENT_ID must be defined where OIDC_CLIENT_SECRET is.']
  }
  if (issuer === undefined) return ['- OIDC_ISSUER must be defined where OIDC_CLIENT_ID is.']
  const protocols = input.ALLOW_INSECURE_HTTP === 'true' ? ['https:', 'http:'] : ['https:']
  const usable = URL.canParse(issuer) && protocols.includes(new URL(issuer).protocol)
  return usable ? [] : ['- OIDC_ISSUER must be an https URL where OIDC_CLIENT_ID is defined.']
}

/** The words of ISSUER_KEY_PROVIDER and VERIFIER_KEY_PROVIDER are `database` and the names of KEY_PROVIDERS. */
function keyProviderProblems(env: Environment): string[] {
  const names = ['database', ...env.KEY_PROVIDERS.map(({ name }) => name)]
  const wrapping = (['KEY_ENCRYPTION_PROVIDER', 'KEY_ENCRYPTION_PROVIDER_PREVIOUS'] as const).flatMap((variable) => {
    const provider = env[variable]?.provider
    return provider === undefined || env.KEY_PROVIDERS.some(({ name }) => name === provider)
      ? []
      : [`- ${variable} must begin with the name of a provider of KEY_PROVIDERS.`]
  })
  const signing = (['ISSUER_KEY_PROVIDER', 'VERIFIER_KEY_PROVIDER'] as const).flatMap((variable) => {
    const name = env[variable]
    return name === undefined || names.includes(name)
      ? []
      : [`- ${variable} must be database or the name of a provider of KEY_PROVIDERS.`]
  })
  return [...wrapping, ...signing]
}

/**
 * Returns the problems of the variables, one line each. Rules that need checked values count only if each value is valid.
 *
 * @param input the variables that are set
 * @param parsed the result of their single rules
 */
export function problemsOf(input: NodeJS.ProcessEnv, parsed: z.ZodSafeParseResult<Environment>): string[] {
  const ofValues = parsed.success
    ? [
        ...keyProblems(parsed.data),
        ...statusListProblems(parsed.data),
        ...trustListProblems(parsed.data),
        ...keyProviderProblems(parsed.data),
      ]
    : valueProblems(parsed.error)
  return [...ofValues, ...crossProblems(input), ...signInProblems(input), ...consoleProblems(input)]
}
