import type { Request, RequestHandler, Response } from 'express'
import helmet from 'helmet'

type Header = readonly [name: string, value: string]

/** What helmet sets is the same for every response, so it is asked once. */
function helmetHeaders(): Header[] {
  const headers: Header[] = []
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  }
  // Helmet reads nothing of a request, and calls no other members of a response.
  helmet()({} as Request, response as unknown as Response, (error?: unknown) => {
    if (error !== undefined) throw error
  })
  return headers
}

/** Helmet's headers on every answer; a route that needs another value (the API reference's policy) sets it later. */
export function securityHeaders(): RequestHandler {
  const headers = helmetHeaders()
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value)
    next()
  }
}
