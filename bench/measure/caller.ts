import { Pool } from 'undici'

export interface Call {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
}

/** Sends the requests of a flow, over connections that stay open. */
export interface Caller {
  /** @throws if the answer is not a success; @returns the body of the answer */
  text(path: string, call?: Call): Promise<string>
  json(path: string, call?: Call): Promise<Record<string, unknown>>
  /** @throws if the answer is no redirect; @returns the address of the redirect, and the cookie that the answer sets */
  redirect(path: string, call?: Call): Promise<{ readonly location: string; readonly cookie: string }>
  close(): Promise<void>
}

function sent({ json, form, headers = {} }: Call): { headers: Record<string, string>; body?: string } {
  if (json !== undefined)
    return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(json) }
  if (form === undefined) return { headers: { ...headers } }
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  }
}

/** @param connections the number of flows that run at once */
export function createCaller(origin: string, connections: number): Caller {
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const answerTo = async (path: string, call: Call) => {
    const { method = call.json === undefined && call.form === undefined ? 'GET' : 'POST' } = call
    const { statusCode, headers, body } = await pool.request({ path, method, ...sent(call) })
    return { method, statusCode, headers, answer: await body.text() }
  }
  const text: Caller['text'] = async (path, call = {}) => {
    const { method, statusCode, answer } = await answerTo(path, call)
    if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}: ${answer}`)
    return answer
  }
  return {
    text,
    json: async (path, call) => JSON.parse(await text(path, call)),
    redirect: async (path, call = {}) => {
      const { method, statusCode, headers, answer } = await answerTo(path, call)
      if (statusCode !== 303) throw new Error(`${method} ${path} answered ${statusCode}: ${answer}`)
      const [cookie = ''] = String(headers['set-cookie'] ?? '').split(';')
      return { location: String(headers.location), cookie }
    },
    close: () => pool.close(),
  }
}
