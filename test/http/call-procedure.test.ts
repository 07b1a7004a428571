import { type AnyProcedure, initTRPC, TRPCError } from '@trpc/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Context } from '../../server/api/context.js'
import { callProcedure } from '../../server/http/call-procedure.js'

const t = initTRPC.context<{ readonly host: string }>().meta<{ readonly about: string }>().create()

type Call = (procedure: AnyProcedure, rawInput: unknown) => Promise<unknown>

const given = (rawInput: unknown) => ({
  path: 'shop.buy',
  ctx: { host: 'a.example' },
  getRawInput: async () => rawInput,
})

const ours: Call = (procedure, rawInput) => {
  const { ctx, ...call } = given(rawInput)
  return callProcedure(procedure, { ...call, ctx: ctx as unknown as Context })
}

/** Calls a procedure in the same way as tRPC's adapters do. */
const theirs: Call = (procedure, rawInput) => {
  const call = { ...given(rawInput), type: procedure._def.type }
  return procedure(call as unknown as Parameters<AnyProcedure>[0])
}

/** Returns the outcome of a call: the answer, or the error with its cause. */
async function outcome(call: Call, procedure: AnyProcedure, rawInput: unknown) {
  try {
    return { answer: await call(procedure, rawInput) }
  } catch (error) {
    const { code, message, cause } = error as TRPCError
    return { isTrpc: error instanceof TRPCError, code, message, cause }
  }
}

/** Calls a procedure in both ways, and checks that the outcomes are equal. @returns the outcome */
async function both(procedure: AnyProcedure, rawInput: unknown = {}) {
  const [one, other] = [await outcome(ours, procedure, rawInput), await outcome(theirs, procedure, rawInput)]
  expect(one).toEqual(other)
  return one
}

class Sold extends Error {}

describe('a procedure that is called over REST', () => {
  it('receives the values of its middlewares, each beside the middleware’s own input', async () => {
    const seen: unknown[] = []
    const looked = t.middleware(({ ctx, input, meta, path, type, next }) => {
      seen.push({ ctx, input, meta, path, type })
      return next()
    })
    const procedure = t.procedure
      .meta({ about: 'buying' })
      .use(looked)
      .use(({ next }) => next({ ctx: { caller: 'alice', host: 'b.example' } }))
      .use(({ next }) => next({ ctx: { rights: 'all' } }))
      .input(z.object({ id: z.coerce.number() }))
      .input(z.object({ more: z.string().default('none') }))
      .use(looked)
      .output(z.object({ sum: z.number() }))
      .mutation(({ ctx, input }) => {
        seen.push({ ctx, input })
        return { sum: input.id + 1, left: 'out' }
      })
    expect(await both(procedure, { id: '4' })).toEqual({ answer: { sum: 5 } })
    const same = { meta: { about: 'buying' }, path: 'shop.buy', type: 'mutation' }
    const ctx = { host: 'b.example', caller: 'alice', rights: 'all' }
    const input = { id: 4, more: 'none' }
    const once = [
      { ...same, ctx: { host: 'a.example' }, input: undefined },
      { ...same, ctx, input },
      { ctx, input },
    ]
    expect(seen).toEqual([...once, ...once])
  })

  it('gets another raw input if a middleware passes one on', async () => {
    const procedure = t.procedure
      .use(({ next }) => next({ getRawInput: async () => ({ id: 7 }) }))
      .input(z.object({ id: z.number() }))
      .query(({ input }) => input.id)
    expect(await both(procedure, { id: 1 })).toEqual({ answer: 7 })
  })

  it.each<[string, AnyProcedure]>([
    ['an error of its own', t.procedure.query(() => Promise.reject(new Sold('It is sold.')))],
    ['what is no error', t.procedure.query(() => Promise.reject('sold'))],
    ['an error of tRPC', t.procedure.query(() => Promise.reject(new TRPCError({ code: 'NOT_FOUND' })))],
    ['an invalid input', t.procedure.input(z.object({ id: z.number() })).query(() => 1)],
    ['an invalid output', t.procedure.output(z.number()).query(() => '1' as unknown as number)],
    [
      'a middleware that throws before the rest',
      t.procedure
        .use(() => {
          throw new Sold('Nobody may.')
        })
        .query(() => 1),
    ],
  ])('fails in the same way as in tRPC: %s', async (_name, procedure) => {
    expect(await both(procedure)).toMatchObject({ isTrpc: true })
  })

  it('reports a later failure to a middleware', async () => {
    const results: boolean[] = []
    const procedure = t.procedure
      .use(async ({ next }) => {
        const result = await next()
        results.push(result.ok)
        return result
      })
      .query(() => Promise.reject(new Sold('It is sold.')))
    expect(await both(procedure)).toMatchObject({ message: 'It is sold.', cause: expect.any(Sold) })
    expect(results).toEqual([false, false])
  })

  it('fails if a middleware does not return the result', async () => {
    const forgetful = t.middleware(async ({ next }) => {
      await next()
      return undefined as never
    })
    const procedure = t.procedure.use(forgetful).query(() => 1)
    expect(await outcome(ours, procedure, {})).toMatchObject({ isTrpc: true, code: 'INTERNAL_SERVER_ERROR' })
  })
})
