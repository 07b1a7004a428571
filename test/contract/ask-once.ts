import type { Answer, RequestOptions, TestService } from '../support/service.js'

/** The pattern of a stream's first event after `connected`. */
const TOLD = /^(?!event: connected\n)(?:.+\n)*data: .*\n\n/m

/** Sends a request. It reads only the first part of an answer without an end. */
export async function askOnce(
  { url }: Pick<TestService, 'url'>,
  method: string,
  path: string,
  { headers = {} }: Pick<RequestOptions, 'headers'>,
): Promise<Answer> {
  const leaving = new AbortController()
  const response = await fetch(`${url}${path}`, { method, headers, redirect: 'manual', signal: leaving.signal })
  let text = ''
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
    if (done) break
    text += value
    if (isStream && text.split(/(?<=\n\n)/).some((frame) => TOLD.test(frame))) break
  }
  leaving.abort()
  return { status: response.status, headers: response.headers, text, json: isStream ? undefined : parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
