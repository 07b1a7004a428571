import type { AnyRouter } from '@trpc/server'
import {
  forEachOpenApiProcedure,
  getInputOutputParsers,
  type OpenApiMethod,
  type OpenApiProcedure,
} from 'trpc-to-openapi'
import { z } from 'zod'
import type { RestMeta } from '../api/contract.js'

export interface Route {
  /** `offerings.claim` */
  readonly name: string
  readonly procedure: OpenApiProcedure
  readonly method: OpenApiMethod
  readonly template: string
  readonly rest: RestMeta
  /**
   * The query members that are numbers in the contract, and in `booleans` the members that are booleans. In a request,
   * all of them are strings.
   */
  readonly numbers: ReadonlySet<string>
  readonly booleans: ReadonlySet<string>
}

export interface RouteMatch {
  readonly route: Route
  /** The path's parameters, still percent-encoded. */
  readonly params: Readonly<Record<string, string>>
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

interface Node {
  readonly literals: Map<string, Node>
  parameter?: { readonly name: string; readonly node: Node }
  readonly routes: Map<string, Route>
}

const emptyNode = (): Node => ({ literals: new Map(), routes: new Map() })

function membersOfKind(procedure: OpenApiProcedure, kind: string): Set<string> {
  // The annotation widens the type: tRPC declares an object, but a contract may have any type.
  const contract: z.ZodType = getInputOutputParsers(procedure).inputParser
  const input = contract instanceof z.ZodPrefault ? contract.unwrap() : contract
  if (!(input instanceof z.ZodObject)) return new Set()
  const shape: Record<string, z.core.$ZodType> = input.shape
  return new Set(Object.keys(shape).filter((key) => innerKind(shape[key]) === kind))
}

function innerKind(type: z.core.$ZodType | undefined): string | undefined {
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault) return innerKind(type.unwrap())
  return type?._zod.def.type
}

/** All routes of a router, in the order of its contracts. */
export function routesOf(router: AnyRouter): Route[] {
  const routes: Route[] = []
  forEachOpenApiProcedure<{ rest?: RestMeta }>(router._def.procedures, ({ path: name, procedure, meta }) => {
    const { openapi, rest } = meta
    if (rest === undefined) throw new Error(`${name} does not say who may call it.`)
    routes.push({
      name,
      procedure,
      method: openapi.method,
      template: openapi.path,
      rest,
      numbers: membersOfKind(procedure, 'number'),
      booleans: membersOfKind(procedure, 'boolean'),
    })
  })
  return routes
}

function insert(root: Node, route: Route): void {
  let node = root
  for (const segment of route.template.split('/').slice(1)) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name === undefined) {
      const next = node.literals.get(segment) ?? emptyNode()
      node.literals.set(segment, next)
      node = next
    } else {
      node.parameter ??= { name, node: emptyNode() }
      if (node.parameter.name !== name) throw new Error(`${route.template}: its parameter has another name elsewhere.`)
      node = node.parameter.node
    }
  }
  if (node.routes.has(route.method)) throw new Error(`${route.method} ${route.template} is declared twice.`)
  node.routes.set(route.method, route)
}

function find(
  node: Node,
  segments: readonly string[],
  at: number,
  method: string,
  params: Record<string, string>,
): Route | undefined {
  const segment = segments[at]
  if (segment === undefined) return node.routes.get(method)
  const literal = node.literals.get(segment)
  const found = literal === undefined ? undefined : find(literal, segments, at + 1, method, params)
  if (found !== undefined) return found
  if (node.parameter === undefined || segment === '') return undefined
  if (node.parameter.name === 'uuid' && !UUID.test(segment)) return undefined
  const route = find(node.parameter.node, segments, at + 1, method, params)
  if (route !== undefined) params[node.parameter.name] = segment
  return route
}

/**
 * Returns a function that finds the route of a path. It compares whole segments and their case, and prefers literals to
 * parameters. The search of trpc-to-openapi tries regular expressions one after the other, in which `.` matches any
 * character and case does not matter.
 */
export function createRouteTable(routes: readonly Route[]): (method: string, path: string) => RouteMatch | undefined {
  const root = emptyNode()
  for (const route of routes) insert(root, route)
  return (method, path) => {
    const params: Record<string, string> = {}
    const route = find(root, path.split('/').slice(1), 0, method, params)
    return route === undefined ? undefined : { route, params }
  }
}

/**
 * Whether the public listener serves a route. It serves a new route only if the route's contract says that it is for
 * strangers.
 */
export const isOpenRoute = ({ rest: { forWallets, open } }: Route): boolean => forWallets === true || open === true
