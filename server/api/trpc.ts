import {
  type inferProcedureBuilderResolverOptions,
  initTRPC,
  type TRPCProcedureBuilder,
  type TRPCUnsetMarker,
} from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { z } from 'zod'
import type { Half } from '../auth/access.js'
import { type Caller, isAdmin } from '../auth/caller.js'
import type { Config } from '../config/config.js'
import type { Context, ListContext } from './context.js'
import type { Contract, ProcedureMeta, RouteAccess } from './contract.js'
import { errors } from './errors.js'
import { exactInput } from './exact-input.js'
import { publicError, serviceErrorOf } from './public-error.js'
import { transformer } from './transformer.js'

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    transformer,
    sse: {
      ping: { enabled: true, intervalMs: 15_000 },
      // A client notices a silently broken connection only by three missing pings.
      client: { reconnectAfterInactivityMs: 45_000 },
    },
    errorFormatter: ({ shape, error, ctx }) => {
      const { status, message } = publicError(error, ctx?.deps.config.production ?? true)
      const { code, path } = shape.data
      const rpcCode = serviceErrorOf(error)?.code ?? code
      return {
        message: typeof message === 'string' ? message : message.join('; '),
        code: TRPC_ERROR_CODES_BY_KEY[rpcCode],
        data: {
          code: rpcCode,
          ...(path === undefined ? {} : { path }),
          httpStatus: status,
          messages: typeof message === 'string' ? [message] : [...message],
        },
      }
    },
  })

export const { router, mergeRouters } = t

/** No credentials asked for. */
export const publicProcedure = t.procedure

/**
 * Whether a call makes a session of the console last longer. An open stream does not, nor does what the console reads without
 * anybody there, which its header `x-console-idle` says: a session would never end in front of a screen that changes by itself.
 */
const isActivity = (type: string, { request: { headers } }: Context) =>
  type !== 'subscription' && headers['x-console-idle'] === undefined

/** `x-client-secret`, or a session of the console whose user may all of that half; `caller` is that user. */
const withSecret = (half: Half) =>
  t.procedure.use(async ({ ctx, next, type }) => {
    const caller = await ctx.deps.access.client(ctx.request.headers, half, isActivity(type, ctx))
    if (caller !== undefined) ctx.request.identified(caller)
    return next({ ctx: { client: true, caller } })
  })

/** For what issuers' backends do. */
const issuerClientProcedure = withSecret('issuer')

/** For what verifiers' backends do. */
const verifierClientProcedure = withSecret('verifier')

type Permit = (caller: Caller, config: Config) => void

/** One middleware for token and role, since each middleware costs as much as validating the input. */
const authenticated = (permit: Permit) =>
  t.procedure.use(async ({ ctx, next, type }) => {
    const caller = await ctx.deps.access.user(ctx.request.headers, isActivity(type, ctx))
    ctx.request.identified(caller)
    permit(caller, ctx.deps.config)
    return next({ ctx: { caller } })
  })

/** @throws 403 for a caller without a role that is configured for what they ask. */
export function assertRole(caller: Caller, role: string | undefined, { authDisabled }: Config): void {
  if (role !== undefined && !authDisabled && !caller.roles.has(role)) throw errors.insufficientRole()
}

/** Under which names a caller's changes are remembered. Where nobody is asked who they are, all are one. */
function namesOf(ctx: Context): string[] {
  const { caller, client, deps } = ctx as Context & { readonly caller?: Caller; readonly client?: boolean }
  if (deps.config.authDisabled) return ['anybody']
  return [...(caller === undefined ? [] : [`user ${caller.sub}`]), ...(client === true ? ['client'] : [])]
}

/** For lists that decide nothing: `ctx.lists` reads them, from the replica where there is one that may be used. */
export const listing = t.middleware(async ({ ctx, next }) =>
  next({ ctx: { lists: await ctx.deps.lists.readerFor(namesOf(ctx)) } }),
)

/**
 * For lists of sessions: `ctx.lists` reads them from the primary. Who makes sessions is noted nowhere, since that would be a statement
 * more for each, and is to find them.
 */
export const primaryListing = t.middleware(({ ctx, next }) => {
  const lists: ListContext['lists'] = (read) => read(ctx.deps.stores)
  return next({ ctx: { lists } })
})

/** For changes that such lists show. */
export const changingLists = t.middleware(({ ctx, next }) => ctx.deps.lists.changing(namesOf(ctx), () => next()))

/** A valid Bearer token, no specific role. */
const userProcedure = authenticated(() => {})

/** Bearer and, where ISSUER_ROLE is set, that role: schemas, credentials, direct signing. */
const issuerProcedure = authenticated((caller, config) => assertRole(caller, config.issuerRole, config))

/** Bearer and, where VERIFIER_ROLE is set, that role: sessions, results, verify. */
const verifierProcedure = authenticated((caller, config) => assertRole(caller, config.verifierRole, config))

/** Bearer with the `admin` role. */
const adminProcedure = authenticated((caller) => {
  if (!isAdmin(caller)) throw errors.insufficientRole()
})

/** Works without credentials and shows more with them; one that is sent and wrong is a 401. */
const optionalProcedure = t.procedure.use(async ({ ctx, next, type }) => {
  const sent = await ctx.deps.access.optional(ctx.request.headers, isActivity(type, ctx))
  if (sent.caller !== undefined) ctx.request.identified(sent.caller)
  return next({ ctx: { caller: sent.caller, client: sent.client } })
})

/** `x-client-secret`, or what {@link verifierProcedure} asks for. */
const clientOrVerifierProcedure = optionalProcedure.use(({ ctx: { caller, client, deps }, next }) => {
  if (!client && caller === undefined) throw errors.unauthorized()
  if (!client && caller !== undefined) assertRole(caller, deps.config.verifierRole, deps.config)
  return next()
})

/** `x-client-secret`, or Bearer with the role `admin` or, where they are configured, one of those roles. */
const halfOperatorProcedure = (rolesOf: (config: Config) => readonly (string | undefined)[]) =>
  optionalProcedure.use(({ ctx: { caller, client, deps }, next }) => {
    if (!client && caller === undefined) throw errors.unauthorized()
    if (!client && caller !== undefined && !isAdmin(caller)) {
      const has = (role: string | undefined) => role !== undefined && caller.roles.has(role)
      if (!rolesOf(deps.config).some(has)) throw errors.insufficientRole()
    }
    return next()
  })

/** Whoever runs the whole installation: `x-client-secret`, or Bearer with the role `admin`. */
const operatorProcedure = halfOperatorProcedure(() => [])

/** Whoever runs the issuing half of an installation, and sees what all its callers made. */
const issuerOperatorProcedure = halfOperatorProcedure(({ issuerRole }) => [issuerRole])

/** Whoever runs the verifying half. */
const verifierOperatorProcedure = halfOperatorProcedure(({ verifierRole }) => [verifierRole])

/** Whoever runs one of the halves. */
const eitherOperatorProcedure = halfOperatorProcedure(({ issuerRole, verifierRole }) => [issuerRole, verifierRole])

/**
 * Bearer, `admin`, and the holder must have been created by the caller. Ownership comes before the input is validated, so
 * the holder's id is taken from the path, or, on `/trpc`, from the raw input.
 */
const holderProcedure = adminProcedure.use(async ({ ctx, next, getRawInput }) => {
  const { deps, request, caller } = ctx
  const holderId = request.pathParameter('holderId') ?? holderIdOf(await getRawInput())
  // A NUL character is in no id, and in no text that PostgreSQL takes.
  const owned =
    holderId !== undefined && !holderId.includes('\0') && (await deps.stores.holders.isOwnedBy(holderId, caller.sub))
  if (!owned) throw errors.holderDenied()
  return next({ ctx: { holderId } })
})

function holderIdOf(rawInput: unknown): string | undefined {
  const { holderId } = (rawInput ?? {}) as { holderId?: unknown }
  return typeof holderId === 'string' ? holderId : undefined
}

/** What makes a procedure of each kind of caller. Tokens of wallets are OpenID4VCI's own, and have a base of its own there. */
const BASES = {
  public: publicProcedure,
  optional: optionalProcedure,
  issuerClient: issuerClientProcedure,
  verifierClient: verifierClientProcedure,
  clientOrVerifier: clientOrVerifierProcedure,
  operator: operatorProcedure,
  issuerOperator: issuerOperatorProcedure,
  verifierOperator: verifierOperatorProcedure,
  eitherOperator: eitherOperatorProcedure,
  user: userProcedure,
  issuer: issuerProcedure,
  verifier: verifierProcedure,
  admin: adminProcedure,
  holder: holderProcedure,
  // Its session is looked up, and may be missing, in the operation.
  console: publicProcedure,
} as const

type Unset = TRPCUnsetMarker

/** A procedure without input and output, whose middlewares gave it the context `Ctx`. */
type Base<Ctx> = TRPCProcedureBuilder<Context, ProcedureMeta, Ctx, Unset, Unset, Unset, Unset, false>

type ContextOf<Access extends keyof typeof BASES> = inferProcedureBuilderResolverOptions<(typeof BASES)[Access]>['ctx']

/** A procedure as its contract says it, for its resolver: `query`, `mutation` or `subscription`. */
type Contracted<Ctx, Input extends z.ZodType, Output extends z.ZodType> = TRPCProcedureBuilder<
  Context,
  ProcedureMeta,
  Ctx,
  z.input<Input>,
  z.output<Input>,
  [z.ZodType] extends [Output] ? Unset : z.input<Output>,
  [z.ZodType] extends [Output] ? Unset : z.output<Output>,
  false
>

/** Procedures of contracts with one kind of caller, over a base that lets in nobody else. */
export function procedureOver<Access extends RouteAccess, Ctx>(base: Base<Ctx>) {
  return <Input extends z.ZodType, Output extends z.ZodType>({
    meta,
    input,
    output,
  }: Contract<Access, Input, Output>): Contracted<Ctx, Input, Output> => {
    const described = base.meta(meta).input(exactInput(meta, input))
    // The builder's own types ask of which kind the schemas are, which they cannot tell of a type parameter.
    return (output === undefined ? described : described.output(output)) as unknown as Contracted<Ctx, Input, Output>
  }
}

/**
 * The procedure of a contract: who may call it, its description, its input and its output are what the contract says.
 *
 * @throws 401 or 403 when it is called by anybody else, before its input is looked at
 */
export const procedure = <Access extends keyof typeof BASES, Input extends z.ZodType, Output extends z.ZodType>(
  contract: Contract<Access, Input, Output>,
): Contracted<ContextOf<Access>, Input, Output> =>
  // Of a type parameter the compiler does not tell which of the bases it picks.
  procedureOver<Access, ContextOf<Access>>(BASES[contract.meta.rest.access] as unknown as Base<ContextOf<Access>>)(
    contract,
  )
