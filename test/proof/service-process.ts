import { localEnvironment, startProcess } from '../main/process.js'

const CLIENT_SECRET = 'test-client-secret'

export interface ProcessAnswer {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape and assert what they find.
  readonly json: any
}

/** The service in its own process, started by its production entry point. */
export interface ServiceProcess extends AsyncDisposable {
  readonly url: string
  /** Sends a request, with the client secret unless a token is given. Rejects if the process has ended. */
  request(
    method: string,
    path: string,
    options?: {
      body?: unknown
      authorization?: string
      form?: Readonly<Record<string, string>>
      headers?: Readonly<Record<string, string>>
    },
  ): Promise<ProcessAnswer>
  /** Ends the process with SIGKILL: no handler runs, and no request is finished. */
  kill(): Promise<void>
}

/**
 * Starts the service.
 *
 * @param jwksUrl address of the keys of the identity provider whose tokens the service accepts
 * @param environment further variables
 */
export async function startService(
  databaseUrl: string,
  jwksUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const process = startProcess({
    ...localEnvironment(databaseUrl),
    AUTH_DISABLED: '',
    OIDC_JWKS_URL: jwksUrl,
    CLIENT_SECRET,
    RATE_LIMIT_MAX: '0',
    ...environment,
  })
  const url = await process.url()
  return {
    url,
    async request(method, path, { body, authorization, form, headers } = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(authorization === undefined ? { 'x-client-secret': CLIENT_SECRET } : { authorization }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      })
      const text = await response.text()
      return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined }
    },
    kill: async () => {
      process.child.kill('SIGKILL')
      await process.exit()
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  }
}
