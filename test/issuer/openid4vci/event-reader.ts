import type { TestService } from '../../support/service.js'

/** A Server-Sent Events stream, read event by event. */
export interface EventReader extends AsyncDisposable {
  readonly status: number
  readonly headers: Headers
  /** Reads the next event: its id, its name and its data as text. */
  next(): Promise<{ id?: string; event?: string; data?: string }>
}

export async function readEvents(
  service: TestService,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventReader> {
  const controller = new AbortController()
  const response = await fetch(`${service.url}${path}`, { headers, signal: controller.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next: EventReader['next'] = async () => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)))
      }
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
      if (done) throw new Error(`The stream ended: ${text}`)
      text += value
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    next,
    [Symbol.asyncDispose]: async () => controller.abort(),
  }
}
