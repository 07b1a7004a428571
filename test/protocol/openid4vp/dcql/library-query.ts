import { DcqlQuery } from 'dcql'

/** A query that the library `dcql` has read and accepted. @throws if the library refuses the query */
export function queryOfLibrary(query: unknown): DcqlQuery {
  // The library checks the shape itself, so a query of any shape may go in.
  const read = DcqlQuery.parse(query as DcqlQuery.Input)
  DcqlQuery.validate(read)
  return read
}
