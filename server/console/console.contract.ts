import { z } from 'zod'
import { route } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'
import { zChange } from './changes/change.js'

const zUser = z
  .strictObject({
    sub: z.string(),
    name: z.string().nullable().meta({ description: 'The user’s name at the identity provider, if known.' }),
    roles: z.array(z.string()),
    isAdmin: z.boolean(),
    mayIssue: z
      .boolean()
      .meta({ description: 'True if the user may act as an issuer: the user has the role `admin` or ISSUER_ROLE.' }),
    mayVerify: z
      .boolean()
      .meta({ description: 'True if the user may act as a verifier: the user has the role `admin` or VERIFIER_ROLE.' }),
    operations: z.array(z.string()).meta({
      description:
        'The operations that the user’s roles allow, by their names on `/trpc`. An operation may still refuse a record of another user.',
    }),
  })
  .meta({ description: 'Null if no user is signed in. `/console/login` signs a user in.' })

export const zConsoleSession = z.strictObject({
  mode: z.enum(['login', 'open']).meta({
    description:
      '`login`: users sign in at the identity provider. `open`: each user is an admin without signing in, for local development only.',
  }),
  user: zUser.nullable(),
  idleAt: z.iso.datetime().nullable().meta({ description: 'When the session ends if there is no further activity.' }),
  endsAt: z.iso.datetime().nullable().meta({ description: 'The latest possible end of the session.' }),
})

export const session = {
  meta: route('GET', '/console/session', {
    tag: 'Console',
    summary: 'Read the console session and its user',
    description:
      'Reading does not count as activity and does not extend the session. The answer is a 404 if there is no console.',
    access: 'public',
    errors: [errors.routeNotFound('GET', '/console/session')],
  }),
  input: z.strictObject({}).prefault({}),
  output: zConsoleSession,
}

export const roles = {
  meta: route('GET', '/api/v1/console/roles', {
    tag: 'Console',
    summary: 'List the roles that allow an operation',
    description: 'Each of these roles is sufficient. The console names them to a user who may not open a screen.',
    access: 'user',
    errors: [400, errors.operationNotFound()],
  }),
  input: z.strictObject({
    operation: z.string().max(100).meta({ description: 'The name on `/trpc`.', example: 'audit.list' }),
  }),
  output: z.object({ roles: z.array(z.string()) }),
}

export const events = {
  meta: route('GET', '/api/v1/console/events', {
    tag: 'Console',
    summary: 'Server-Sent Events of changes in lists',
    description:
      'Each event named `change` names a changed entry of a list and the current state of the entry. It arrives some seconds after the change at the latest. ' +
      'Events contain only ids and states, of entries that the caller may list. The first event has the kind `everything`: read all shown ' +
      'lists again. An event of this kind also replaces changes that are too many to report. `Last-Event-ID` replaces the first event with ' +
      'the missed changes, if they are known. If an entry changes twice within a short time, there may be only one event. Every 15 seconds the stream sends a ' +
      '`ping` with the data `keepalive`. The stream stays open until the access token expires. With a console session it stays open for a ' +
      'minute, and does not extend the session.',
    access: 'eitherOperator',
    kind: 'events',
    eventName: 'change',
    produces: 'text/event-stream',
    event: zChange,
  }),
  input: z.strictObject({
    lastEventId: z
      .string()
      .regex(/^[\w.-]{0,100}$/, { error: 'must be the id of an event' })
      .optional()
      .meta({ description: 'Used in place of the header `Last-Event-ID`.' }),
  }),
}

export const logout = {
  meta: route('POST', '/console/logout', {
    tag: 'Console',
    summary: 'Sign out of the console',
    description:
      'Ends the console session of the request, and revokes its tokens at the identity provider. `location` is the address of the provider ' +
      'at which the browser ends its session with the provider; null if the provider has no such address. The provider then sends the ' +
      'browser back to `/console/callback`.',
    access: 'console',
    errors: [errors.routeNotFound('POST', '/console/logout')],
  }),
  input: z.strictObject({}).prefault({}),
  output: z.strictObject({ location: z.url().nullable() }),
}

const forBrowsers = { tag: 'Console', access: 'public', kind: 'page', produces: 'text/html', status: 303 } as const

export const login = {
  meta: route('GET', '/console/login', {
    ...forBrowsers,
    summary: 'Sign in to the console',
    description:
      'Sends the browser to the identity provider, and afterwards to `return`. If `return` is not an address in the console, the browser ' +
      'goes to the first page of the console. Over http, a browser that used a host name of this machine other than the host name of ISSUER_BASE_URL is ' +
      'first sent to ISSUER_BASE_URL.',
    errors: [403, 404],
  }),
  input: z.object({
    return: z.string().optional(),
    moved: z
      .string()
      .optional()
      .meta({ description: 'Set if the service sent the browser here from a different host name of this machine.' }),
    account: z
      .literal('other')
      .optional()
      .meta({ description: 'Set if the user wants to choose an account at the identity provider.' }),
  }),
  output: zProtocolReply,
}

export const callback = {
  meta: route('GET', '/console/callback', {
    ...forBrowsers,
    summary: 'Return from the identity provider to the console',
    description:
      'The identity provider sends the browser back to this address, which must be among its redirect URIs. Each answer is accepted only once, and ' +
      'only in the browser that began the sign-in. A user without a role in this service gets no session. After a sign-out the browser ' +
      'returns here without parameters, and goes to the first page of the console.',
    errors: [403, 404],
  }),
  input: z.object({
    state: z.string().optional(),
    code: z.string().optional(),
    iss: z.string().optional(),
    error: z.string().optional(),
    error_description: z.string().optional(),
  }),
  output: zProtocolReply,
}
