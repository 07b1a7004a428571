import { z } from 'zod'
import type { ProcedureMeta, RouteAccess } from '../../server/api/contract.js'
import { docComment, type JsonSchema, membersText, typeText } from './type-text.js'

/** The contract of a procedure of `/trpc`. */
export interface Contracted {
  /** `offerings.create` */
  readonly name: string
  readonly type: 'query' | 'mutation' | 'subscription'
  readonly meta: ProcedureMeta
  readonly input: z.ZodType
  /** Undefined for a subscription. */
  readonly output: z.ZodType | undefined
}

const HEADER = `// Written from the contracts of the service; see scripts/client in its source.
import type { Mutation, Query, Subscription, Tracked } from './calls.js'
`

const CALLERS: Readonly<Record<RouteAccess, string>> = {
  public: 'anybody',
  optional: 'anybody, and who has a token or the client secret sees more',
  issuerClient: 'who has the client secret',
  verifierClient: 'who has the client secret',
  clientOrIssuer: 'who has the client secret, or a token (with ISSUER_ROLE, where the service has set it)',
  clientOrVerifier: 'who has the client secret, or a token (with VERIFIER_ROLE, where the service has set it)',
  clientOrEither:
    'who has the client secret, or a token (with ISSUER_ROLE or VERIFIER_ROLE, where the service has set both)',
  clientOrUser: 'who has the client secret, or a token',
  operator: 'who has the client secret, or a token with the role admin',
  issuerOperator:
    'who has the client secret, or a token with the role admin (or ISSUER_ROLE, where the service has set it)',
  verifierOperator:
    'who has the client secret, or a token with the role admin (or VERIFIER_ROLE, where the service has set it)',
  eitherOperator:
    'who has the client secret, or a token with the role admin (or ISSUER_ROLE or VERIFIER_ROLE, where the service has set them)',
  ownerOrIssuer:
    'the owner, with a token; or who has the client secret, or a token with the role admin (or ISSUER_ROLE, where the service has set it)',
  user: 'who has a token',
  issuer: 'who has a token (with ISSUER_ROLE, where the service has set it)',
  verifier: 'who has a token (with VERIFIER_ROLE, where the service has set it)',
  admin: 'who has a token with the role admin',
  holder: 'the admin who made the holder',
  wallet: 'wallets',
  console: 'who is logged in to the console',
}

/**
 * The doc comment of a procedure: its summary, its description, and its REST call with the allowed callers and the
 * errors.
 */
function commentOf({ name, meta }: Contracted): string {
  const { openapi, rest } = meta
  if (openapi === undefined || rest === undefined) throw new Error(`${name} has no route.`)
  const facts = [
    `- \`${openapi.method} ${openapi.path}\``,
    `- Who may: ${CALLERS[rest.access]}`,
    `- Errors: ${(openapi.errorResponses as readonly number[]).join(', ')}`,
  ]
  return [`${openapi.summary}.`, openapi.description, facts.join('\n')].filter(Boolean).join('\n\n')
}

/** Returns a function that writes the TypeScript type of a Zod schema. A schema with a name gets a separate type. */
class Types {
  readonly named = new Map<string, JsonSchema>()

  of(schema: z.ZodType, io: 'input' | 'output'): string {
    if (schema instanceof z.ZodVoid) return 'void'
    const { $defs = {}, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
    for (const [name, definition] of Object.entries($defs)) this.named.set(name, definition)
    return typeText(json, '    ')
  }
}

function procedureText(procedure: Contracted, types: Types): string {
  const { name, type, meta, input, output } = procedure
  const given = `${types.of(input, 'input')}${input.safeParse(undefined).success ? ' | undefined' : ''}`
  const schema = output ?? meta.rest?.event
  if (schema === undefined) throw new Error(`${name} does not declare its output.`)
  const got = types.of(schema, 'output')
  if (type === 'subscription') return `Subscription<${given}, Tracked<${got}>>`
  return `${type === 'query' ? 'Query' : 'Mutation'}<${given}, ${got}>`
}

function routerText(router: string, procedures: readonly Contracted[], types: Types): string {
  const members = procedures.map((procedure) => {
    const name = procedure.name.slice(router.length + 1)
    if (name.includes('.')) throw new Error(`${procedure.name} lies deeper than one router.`)
    return `${docComment(commentOf(procedure), '    ')}    readonly ${name}: ${procedureText(procedure, types)}\n`
  })
  const tags = [...new Set(procedures.flatMap(({ meta }) => meta.openapi?.tags ?? []))]
  return `${docComment(tags.join(', '), '  ')}  readonly ${router}: {\n${members.join('\n')}  }\n`
}

/**
 * Writes the module that replaces client/api.ts in the package: an interface with every procedure. All types are
 * written out, and the texts of the contracts become doc comments.
 */
export function apiText(procedures: readonly Contracted[]): string {
  const types = new Types()
  const names = [...new Set(procedures.map(({ name }) => name.slice(0, name.indexOf('.'))))]
  const routers = names.map((router) =>
    routerText(
      router,
      procedures.filter(({ name }) => name.startsWith(`${router}.`)),
      types,
    ),
  )
  const named = [...types.named].map(
    ([name, schema]) =>
      `\n${docComment(schema.description ?? '', '')}export interface ${name} {\n${membersText(schema, '  ')}}\n`,
  )
  const comment = docComment('Every procedure of the service by its name.', '')
  return `${HEADER}${named.join('')}\n${comment}export interface CredenceClient {\n${routers.join('\n')}}\n`
}
