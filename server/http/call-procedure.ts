import { getTRPCErrorFromUnknown } from '@trpc/server'
import type { Context } from '../api/context.js'

/** The options of a call over REST. */
export interface Call {
  /** The procedure's name with its router, such as `offerings.claim`. */
  readonly path: string
  readonly ctx: Context
  readonly getRawInput: () => Promise<unknown>
}

/**
 * Options that a middleware passes to the next middleware to replace its own options. The passed `ctx` is merged into
 * the middleware's `ctx`.
 */
interface HandedOn {
  readonly ctx?: object
  readonly input?: unknown
  readonly getRawInput?: () => Promise<unknown>
}

type Result = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: Error }

interface Options {
  readonly path: string
  readonly type: string
  readonly meta: unknown
  readonly ctx: object
  readonly input: unknown
  readonly getRawInput: () => Promise<unknown>
  readonly next: (handedOn?: HandedOn) => Promise<Result>
}

/** A middleware of tRPC. The validation of input and output, and finally the resolver, are middlewares too. */
type Middleware = (options: Options) => Promise<Result | undefined>

interface Chain {
  readonly middlewares: readonly Middleware[]
  readonly meta: unknown
  readonly type: string
}

/** A procedure of any type. tRPC's types do not include its middlewares. */
interface Procedure {
  readonly _def: object
}

const chainOf = ({ _def }: Procedure): Chain => _def as Chain

async function run(chain: Chain, at: number, given: Omit<Options, 'next' | 'type' | 'meta'>): Promise<Result> {
  const { path, ctx, input, getRawInput } = given
  const next = (handedOn: HandedOn = {}) =>
    run(chain, at + 1, {
      path,
      ctx: handedOn.ctx === undefined ? ctx : { ...ctx, ...handedOn.ctx },
      input: 'input' in handedOn ? handedOn.input : input,
      getRawInput: handedOn.getRawInput ?? getRawInput,
    })
  try {
    const result = await chain.middlewares[at]?.({ ...given, type: chain.type, meta: chain.meta, next })
    if (result === undefined) throw new Error(`A middleware of ${path} has no result.`)
    return result
  } catch (thrown) {
    return { ok: false, error: getTRPCErrorFromUnknown(thrown) }
  }
}

/**
 * Calls a procedure through its middlewares, as tRPC's own caller does. tRPC's caller copies all options twice for each
 * middleware, property by property, and takes 20 µs for a call. This function takes 4 µs. Issuing one credential needs
 * eight calls.
 *
 * @throws TRPCError the error of the procedure or of a middleware
 */
export async function callProcedure(procedure: Procedure, { path, ctx, getRawInput }: Call): Promise<unknown> {
  const result = await run(chainOf(procedure), 0, { path, ctx, input: undefined, getRawInput })
  if (!result.ok) throw result.error
  return result.data
}
