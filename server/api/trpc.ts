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
import type { RequestAccess } from '../auth/request-access.js'
import type { Lists, ReadList } from '../database/replica/lists.js'
import type { Context } from './context.js'
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
      const { status, message } = publicError(error, ctx?.production ?? true)
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

/** `x-client-secret`, or a session of the console whose user may do all of that half; `caller` is that user. */
const withSecret = (half: Half) =>
  t.procedure.use(async ({ ctx, next, type }) =>
    next({ ctx: { client: true, caller: await ctx.access.client(half, isActivity(type, ctx)) } }),
  )

/** For what issuers' backends do. */
const issuerClientProcedure = withSecret('issuer')

/** For what verifiers' backends do. */
const verifierClientProcedure = withSecret('verifier')

/** One middleware for token and role, since each middleware costs as much as validating the input. */
const authenticated = (permit: (caller: Caller, access: RequestAccess) => void) =>
  t.procedure.use(async ({ ctx, next, type }) => {
    const caller = await ctx.access.user(isActivity(type, ctx))
    permit(caller, ctx.access)
    return next({ ctx: { caller } })
  })

/** The names under which the changes of a request's sender are noted. */
function namesOf(ctx: Context): string[] {
  const { caller, client, access } = ctx as Context & { readonly caller?: Caller; readonly client?: boolean }
  return access.namesOf(caller, client === true)
}

/** For lists that decide nothing: `ctx.lists` reads them, from the replica where a replica may be used. */
export const reading = <Stores>(lists: Lists<Stores>) =>
  t.middleware(async function reading({ ctx, next }) {
    return next({ ctx: { lists: await lists.readerFor(namesOf(ctx)) } })
  })

/**
 * For lists of sessions: `ctx.lists` reads them from the primary. A sender who makes sessions is noted nowhere, since a note would be
 * a statement more for each session, and must find them.
 */
export const readingPrimary = <Stores>(stores: Stores) =>
  t.middleware(function readingPrimary({ next }) {
    const lists: ReadList<Stores> = (read) => read(stores)
    return next({ ctx: { lists } })
  })

/** For changes that such lists show. */
export const changingLists = t.middleware(({ ctx, next }) => ctx.changing(namesOf(ctx), () => next()))

/** A valid Bearer token, no specific role. */
const userProcedure = authenticated(() => {})

/** Bearer and, where ISSUER_ROLE is set, that role: schemas, credentials, direct signing. */
const issuerProcedure = authenticated((caller, access) => access.assertRole(caller, 'issuer'))

/** Bearer and, where VERIFIER_ROLE is set, that role: sessions, results, verify. */
const verifierProcedure = authenticated((caller, access) => access.assertRole(caller, 'verifier'))

/** Bearer with the `admin` role. */
const adminProcedure = authenticated((caller) => {
  if (!isAdmin(caller)) throw errors.insufficientRole()
})

/** Works without credentials and shows more with them. Credentials that are sent and wrong are a 401. */
const optionalProcedure = t.procedure.use(async ({ ctx, next, type }) =>
  next({ ctx: await ctx.access.optional(isActivity(type, ctx)) }),
)

/** `x-client-secret`, or what {@link verifierProcedure} asks for. */
const clientOrVerifierProcedure = optionalProcedure.use(({ ctx: { caller, client, access }, next }) => {
  if (client) return next()
  if (caller === undefined) throw errors.unauthorized()
  access.assertRole(caller, 'verifier')
  return next()
})

/** `x-client-secret`, or Bearer with the role `admin` or, where they are configured, the role of one of these halves. */
const operatorOf = (halves: readonly Half[]) =>
  optionalProcedure.use(({ ctx: { caller, client, access }, next }) => {
    if (client) return next()
    if (caller === undefined) throw errors.unauthorized()
    access.assertOperator(caller, halves)
    return next()
  })

/** Who operates the whole installation: `x-client-secret`, or Bearer with the role `admin`. */
const operatorProcedure = operatorOf([])

/** Who operates the issuing half of an installation, and sees what all its callers made. */
const issuerOperatorProcedure = operatorOf(['issuer'])

/** Who operates the verifying half. */
const verifierOperatorProcedure = operatorOf(['verifier'])

/** Who operates one of the halves. */
const eitherOperatorProcedure = operatorOf(['issuer', 'verifier'])

/**
 * Bearer, `admin`, and the holder must have been created by the caller. Ownership comes before the input is validated, so
 * the holder's id is taken from the path, or, on `/trpc`, from the raw input.
 */
const holderProcedure = adminProcedure.use(async ({ ctx: { access, request, caller }, next, getRawInput }) => {
  const holderId = request.pathParameter('holderId') ?? holderIdOf(await getRawInput())
  await access.assertHolder(caller, holderId)
  // The check has refused a missing id.
  return next({ ctx: { holderId: holderId as string } })
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
