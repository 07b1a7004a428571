import {
  type inferProcedureBuilderResolverOptions,
  initTRPC,
  type TRPCProcedureBuilder,
  type TRPCUnsetMarker,
} from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { z } from 'zod'
import type { Half } from '../auth/access.js'
import type { Caller } from '../auth/caller.js'
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
      // If a connection breaks without an error, the client detects it when three pings are missing.
      client: { reconnectAfterInactivityMs: 45_000 },
    },
    errorFormatter: ({ shape, error, ctx }) => {
      const { status, message } = publicError(error, ctx?.production ?? true)
      const { code, path } = shape.data
      const { code: rpcCode = code, untrusted } = serviceErrorOf(error) ?? {}
      return {
        message: typeof message === 'string' ? message : message.join('; '),
        code: TRPC_ERROR_CODES_BY_KEY[rpcCode],
        data: {
          code: rpcCode,
          ...(path === undefined ? {} : { path }),
          httpStatus: status,
          messages: typeof message === 'string' ? [message] : [...message],
          ...(untrusted === undefined ? {} : { untrusted }),
        },
      }
    },
  })

export const { router, mergeRouters } = t

/** Requires no credentials. */
export const publicProcedure = t.procedure

/**
 * True if a call extends the console session. An open stream does not extend the session. A read with the header
 * `x-console-idle` does not extend it either, because the console sends this read without an action of the user.
 * Otherwise a session would never end while a screen updates itself.
 */
const isActivity = (type: string, { request: { headers } }: Context) =>
  type !== 'subscription' && headers['x-console-idle'] === undefined

/**
 * Requires `x-client-secret`, or a console session whose user may use all issuing or all verifying routes. `caller` is the
 * session's user.
 */
const withSecret = (route: 'issuerClient' | 'verifierClient') =>
  t.procedure.use(async ({ ctx, next, type }) => {
    const caller = await ctx.access.client(isActivity(type, ctx))
    if (caller !== undefined) ctx.access.assertPermitted(caller, route)
    return next({ ctx: { client: true, caller } })
  })

/**
 * Requires a token and its permissions. A single middleware checks both, because each middleware takes as long as
 * validating the input.
 */
const authenticated = (route: 'user' | 'admin' | 'holder') =>
  t.procedure.use(async ({ ctx, next, type }) => {
    const caller = await ctx.access.user(isActivity(type, ctx))
    ctx.access.assertPermitted(caller, route)
    return next({ ctx: { caller } })
  })

/** Like {@link authenticated}. `ctx.reach` says which records of the half the caller reaches. */
const userOf = (half: Half) =>
  t.procedure.use(async ({ ctx, next, type }) => {
    const caller = await ctx.access.user(isActivity(type, ctx))
    ctx.access.assertPermitted(caller, half)
    return next({ ctx: { caller, reach: ctx.access.reach(half, { caller, client: false }) } })
  })

/** Returns the ids under which the changes of a request's sender are recorded. */
function namesOf(ctx: Context): string[] {
  const { caller, client, access } = ctx as Context & { readonly caller?: Caller; readonly client?: boolean }
  return access.namesOf(caller, client === true)
}

/**
 * For lists that are only shown, so that slightly old data do no harm. `ctx.lists` reads the lists, from the replica if
 * a replica may be used.
 */
export const reading = <Stores>(lists: Lists<Stores>) =>
  t.middleware(async function reading({ ctx, next }) {
    return next({ ctx: { lists: await lists.readerFor(namesOf(ctx)) } })
  })

/**
 * For lists of sessions. `ctx.lists` reads the lists from the primary, so that a sender finds its new sessions. The
 * sender of a new session is not recorded as the sender of a change, because this would cost one more statement for
 * each session.
 */
export const readingPrimary = <Stores>(stores: Stores) =>
  t.middleware(function readingPrimary({ next }) {
    const lists: ReadList<Stores> = (read) => read(stores)
    return next({ ctx: { lists } })
  })

/** For changes that are visible in the lists of {@link reading}. */
export const changingLists = t.middleware(({ ctx, next }) => ctx.changing(namesOf(ctx), () => next()))

/** For operations that create something. A call with an `Idempotency-Key` acts once. */
const once = t.middleware(({ ctx, path, input, next }) => {
  const { request, responseHeaders, otherForm, calls } = ctx
  const { headers } = request
  return ctx.once({ headers, callers: namesOf(ctx), operation: path, input, calls, responseHeaders, otherForm }, () =>
    next(),
  )
})

/** Accepts requests without credentials, and shows more to requests with credentials. Wrong credentials cause a 401. */
const optionalProcedure = t.procedure.use(async ({ ctx, next, type }) =>
  next({ ctx: await ctx.access.optional(isActivity(type, ctx)) }),
)

/** Requires `x-client-secret`, or a Bearer token whose roles allow routes of this access. */
const clientOr = (route: RouteAccess) =>
  optionalProcedure.use(({ ctx: { caller, client, access }, next }) => {
    if (!client) {
      if (caller === undefined) throw errors.unauthorized()
      access.assertPermitted(caller, route)
    }
    return next()
  })

/** Like {@link clientOr}. `ctx.reach` says which records of the half the sender reaches. */
const clientOrUserOf = (half: Half, route: RouteAccess) =>
  optionalProcedure.use(({ ctx: { caller, client, access }, next }) => {
    if (!client) {
      if (caller === undefined) throw errors.unauthorized()
      access.assertPermitted(caller, route)
    }
    return next({ ctx: { reach: access.reach(half, { caller, client }) } })
  })

/**
 * Requires a Bearer token with the role `admin`, of a caller who created the holder. The holder is checked before the
 * input is validated. Therefore the holder's id is taken from the path or, on `/trpc`, from the raw input.
 */
const holderProcedure = authenticated('holder').use(async ({ ctx: { access, request, caller }, next, getRawInput }) => {
  const holderId = request.pathParameter('holderId') ?? holderIdOf(await getRawInput())
  await access.assertHolder(caller, holderId)
  return next()
})

function holderIdOf(rawInput: unknown): string | undefined {
  const { holderId } = (rawInput ?? {}) as { holderId?: unknown }
  return typeof holderId === 'string' ? holderId : undefined
}

/**
 * The base procedure for each kind of caller. Which roles a caller needs is in the table of `server/auth/permits.ts`. For tokens of wallets, the code of OpenID4VCI has a separate base
 * procedure.
 */
const BASES = {
  public: publicProcedure,
  optional: optionalProcedure,
  issuerClient: withSecret('issuerClient'),
  verifierClient: withSecret('verifierClient'),
  clientOrIssuer: clientOrUserOf('issuer', 'clientOrIssuer'),
  clientOrVerifier: clientOrUserOf('verifier', 'clientOrVerifier'),
  clientOrEither: clientOr('clientOrEither'),
  clientOrUser: clientOr('clientOrUser'),
  operator: clientOr('operator'),
  issuerOperator: clientOr('issuerOperator'),
  verifierOperator: clientOr('verifierOperator'),
  eitherOperator: clientOr('eitherOperator'),
  ownerOrIssuer: clientOrUserOf('issuer', 'ownerOrIssuer'),
  user: authenticated('user'),
  issuer: userOf('issuer'),
  verifier: userOf('verifier'),
  admin: authenticated('admin'),
  holder: holderProcedure,
  // The operation itself looks for the session, which may be missing.
  console: publicProcedure,
} as const

type Unset = TRPCUnsetMarker

/** A procedure without input and output. Its middlewares make the context `Ctx`. */
type Base<Ctx> = TRPCProcedureBuilder<Context, ProcedureMeta, Ctx, Unset, Unset, Unset, Unset, false>

type ContextOf<Access extends keyof typeof BASES> = inferProcedureBuilderResolverOptions<(typeof BASES)[Access]>['ctx']

/** A procedure with its contract's input and output, ready for its resolver: `query`, `mutation` or `subscription`. */
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

/** Makes procedures from contracts that allow one kind of caller. The base procedure refuses all other callers. */
export function procedureOver<Access extends RouteAccess, Ctx>(base: Base<Ctx>) {
  return <Input extends z.ZodType, Output extends z.ZodType>({
    meta,
    input,
    output,
  }: Contract<Access, Input, Output>): Contracted<Ctx, Input, Output> => {
    const validated = base.meta(meta).input(exactInput(meta, input))
    // Middlewares that a procedure adds later, and the validation of the output, run inside of `once`. The casts are
    // needed because the compiler cannot know that a context of the type parameter has the members of a context.
    const described = meta.rest.idempotent === true ? (validated.use(once as never) as typeof validated) : validated
    // The casts are needed because the types of tRPC's builder depend on the kind of each schema, which is unknown for
    // a type parameter.
    return (output === undefined ? described : described.output(output)) as unknown as Contracted<Ctx, Input, Output>
  }
}

/**
 * Makes the procedure of a contract. The contract defines its callers, description, input and output.
 *
 * @throws 401 or 403 for any other caller, before the input is validated
 */
export const procedure = <Access extends keyof typeof BASES, Input extends z.ZodType, Output extends z.ZodType>(
  contract: Contract<Access, Input, Output>,
): Contracted<ContextOf<Access>, Input, Output> =>
  // The cast is needed because the compiler cannot know which base procedure a type parameter selects.
  procedureOver<Access, ContextOf<Access>>(BASES[contract.meta.rest.access] as unknown as Base<ContextOf<Access>>)(
    contract,
  )
