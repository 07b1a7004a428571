import Papa from 'papaparse'
import { expect } from 'vitest'
import type { Answer, RequestOptions, TestService } from '../support/service.js'

export const PATH = '/api/v1/exports'

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every kind.
export type Line = any

/** A period around now. */
export const period = () => ({
  from: new Date(Date.now() - 86_400_000).toISOString(),
  to: new Date(Date.now() + 86_400_000).toISOString(),
})

export async function order(service: TestService, body: unknown, sender: RequestOptions): Promise<Answer['json']> {
  const answer = await service.request('POST', PATH, { ...sender, body })
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)])
  return answer.json
}

export const contentOf = (service: TestService, id: string, sender: RequestOptions): Promise<Answer> =>
  service.request('GET', `${PATH}/${id}/content`, sender)

/** Reads the lines of a complete NDJSON file: the header, the records and the end. */
export function readNdjson({ status, headers, text }: Answer): { header: Line; records: Line[]; count: number } {
  expect(status, text).toBe(200)
  expect(headers.get('content-type')).toBe('application/x-ndjson')
  expect(text.endsWith('\n')).toBe(true)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const end = lines.at(-1)
  expect(end).toEqual({ record: 'end', count: lines.length - 2 })
  return { header: lines[0], records: lines.slice(1, -1), count: end.count }
}

/** Reads the rows of a CSV file with an independent parser. */
export function readCsv(bytes: Uint8Array): Record<string, string>[] {
  // The file begins with a byte order mark, so that spreadsheet programs read it as UTF-8.
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const { data, errors } = Papa.parse<Record<string, string>>(Buffer.from(bytes.subarray(3)).toString(), {
    header: true,
    skipEmptyLines: true,
    newline: '\r\n',
  })
  expect(errors).toEqual([])
  return data
}

export async function bytesOf(service: TestService, id: string, sender: RequestOptions): Promise<Uint8Array> {
  const { authorization, client } = sender
  const response = await fetch(`${service.url}${PATH}/${id}/content`, {
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(client === true ? { 'x-client-secret': 'test-client-secret' } : {}),
    },
  })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  return new Uint8Array(await response.arrayBuffer())
}

export async function exported(service: TestService, body: object, sender: RequestOptions) {
  const { id } = await order(service, body, sender)
  return readNdjson(await contentOf(service, id, sender))
}

export async function exportedCsv(service: TestService, body: object, sender: RequestOptions) {
  const { id } = await order(service, { ...body, format: 'csv' }, sender)
  return readCsv(await bytesOf(service, id, sender))
}
