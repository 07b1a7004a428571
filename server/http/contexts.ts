import type { Request, Response } from 'express'
import { type Context, type ContextPorts, createContext } from '../api/context.js'
import { type BaseUrls, requestFacts } from './request-facts.js'

/** Makes the context of a request; `params` are the parameters of a REST path, still percent-encoded. */
export type ContextOf = (request: Request, response: Response, params?: Readonly<Record<string, string>>) => Context

/** Makes contexts of HTTP requests. */
export const createContexts =
  (ports: ContextPorts, baseUrls: BaseUrls): ContextOf =>
  (request, response, params) =>
    createContext(ports, requestFacts(request, response, baseUrls, params))
