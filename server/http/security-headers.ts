import type { Request, RequestHandler, Response } from 'express'
import helmet from 'helmet'

type Header = readonly [name: string, value: string]

/** The headers of helmet, which are the same for each response and are therefore computed once. */
function helmetHeaders(): Header[] {
  const headers: Header[] = []
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  }
  // Helmet does not read the request, and calls only these members of a response.
  helmet()({} as Request, response as unknown as Response, (error?: unknown) => {
    if (error !== undefined) throw error
  })
  return headers
}

/**
 * Sets helmet's headers on each answer. A route can set a different value later, as the API reference does for its
 * Content-Security-Policy.
 */
export function securityHeaders(): RequestHandler {
  const headers = helmetHeaders()
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value)
    next()
  }
}
