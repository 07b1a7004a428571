import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { allProcedures, type ContractedProcedure } from './procedures.js'

type Schema = z.core.$ZodType
type Definition = z.core.$ZodTypeDef & Record<string, unknown>

/** The direct sub-schemas of a schema, for the kinds of schema that contracts use. */
function innerSchemas(schema: Schema): [string, Schema][] {
  const def = schema._zod.def as Definition
  if (schema instanceof z.ZodObject) return Object.entries<Schema>(schema.shape)
  if (schema instanceof z.ZodLazy) return [['', schema.unwrap()]]
  if (schema instanceof z.ZodUnion) return schema.options.map((option, index) => [`|${index}`, option as Schema])
  const single = ['innerType', 'element', 'valueType', 'in', 'left', 'right', 'rest']
  const lists = Array.isArray(def.items) ? (def.items as Schema[]) : []
  return [
    ...single.flatMap((member): [string, Schema][] => (def[member] ? [[`.${member}`, def[member] as Schema]] : [])),
    ...lists.map((item, index): [string, Schema] => [String(index), item]),
  ]
}

/** Paths of declared objects that silently drop unknown members. A contract must refuse them or accept all of them. */
function silentObjects(schema: Schema, path: string, seen = new Set<Schema>()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const own = schema instanceof z.ZodObject && schema._zod.def.catchall === undefined ? [path] : []
  return [...own, ...innerSchemas(schema).flatMap(([name, inner]) => silentObjects(inner, `${path}/${name}`, seen))]
}

/** Paths of lists without a limit of elements: each wrong element would be reported. */
function endlessLists(schema: Schema, path: string, seen = new Set<Schema>()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const bounded = schema._zod.def.checks?.some(({ _zod }) => _zod.def.check === 'max_length')
  const own = schema instanceof z.ZodArray && bounded !== true ? [path] : []
  return [...own, ...innerSchemas(schema).flatMap(([name, inner]) => endlessLists(inner, `${path}/${name}`, seen))]
}

const kindOf = ({ meta }: ContractedProcedure) => meta?.rest?.kind ?? 'json'

describe.each(allProcedures.map((procedure) => [procedure.name, procedure] as const))('%s', (_, procedure) => {
  const { meta, inputs, output, type } = procedure

  it('describes its address, its effect and its callers', () => {
    expect(meta?.openapi?.path).toMatch(/^\//)
    expect(meta?.openapi?.summary).toMatch(/^\S.*[^.]$/)
    expect(meta?.openapi?.description).toMatch(/^\S.*\.$/)
    expect(meta?.openapi?.tags).toHaveLength(1)
    expect(meta?.rest?.access).toMatch(
      /^(public|optional|issuerClient|verifierClient|clientOrIssuer|clientOrVerifier|clientOrEither|clientOrUser|operator|issuerOperator|verifierOperator|eitherOperator|ownerOrIssuer|user|issuer|verifier|admin|holder|wallet|console)$/,
    )
  })

  it('has an input, which is an object, and an output', () => {
    expect(inputs).toHaveLength(1)
    const [input] = inputs
    expect(input instanceof z.ZodPrefault ? input.unwrap() : input).toBeInstanceOf(z.ZodObject)
    expect(type === 'subscription' ? meta?.rest?.event : output).toBeDefined()
  })

  it('has a limit for every list', () => {
    expect(inputs.flatMap((input) => endlessLists(input, ''))).toEqual([])
  })

  it('changes state only by POST and DELETE', () => {
    expect(meta?.openapi?.method === 'GET').toBe(type !== 'mutation')
  })
})

const named = (ofProtocol: boolean) =>
  allProcedures
    .filter((procedure) => ['protocol', 'page'].includes(kindOf(procedure) ?? '') === ofProtocol)
    .map((procedure) => [procedure.name, procedure] as const)

describe('unknown members of the input', () => {
  it.each(named(false))('of %s are refused at every depth', (_, { inputs }) => {
    expect(inputs.flatMap((input) => silentObjects(input, ''))).toEqual([])
  })

  it.each(named(true))('of %s are ignored (RFC 6749 §3.1, §3.2)', (_, { inputs: [input] }) => {
    expect(input instanceof z.ZodObject && input._zod.def.catchall?._zod.def.type).not.toBe('never')
  })
})
