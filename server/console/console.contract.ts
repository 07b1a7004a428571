import { z } from 'zod'
import { route } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'
import { zChange } from './changes/change.js'

const zUser = z
  .strictObject({
    sub: z.string(),
    name: z.string().nullable().meta({ description: 'What the identity provider calls the user, where it says so.' }),
    roles: z.array(z.string()),
    isAdmin: z.boolean(),
    mayIssue: z.boolean().meta({ description: 'Whether they may do what issuers do: `admin`, or ISSUER_ROLE.' }),
    mayVerify: z.boolean().meta({ description: 'Whether they may do what verifiers do: `admin`, or VERIFIER_ROLE.' }),
  })
  .meta({ description: 'Null where nobody is logged in: `/console/login` does that.' })

export const zConsoleSession = z.strictObject({
  mode: z.enum(['login', 'open']).meta({
    description:
      '`login`: users log in at the identity provider. `open`: nobody does, and everybody is an admin, for local development only.',
  }),
  user: zUser.nullable(),
  idleAt: z.iso.datetime().nullable().meta({ description: 'When the session ends unless something is done before.' }),
  endsAt: z.iso.datetime().nullable().meta({ description: 'When it ends whatever is done.' }),
})

export const session = {
  meta: route('GET', '/console/session', {
    tag: 'Console',
    summary: 'Who uses the console',
    description: 'Asking is no activity: it makes no session last longer. 404 where the console is closed.',
    access: 'public',
    errors: [errors.routeNotFound('GET', '/console/session')],
  }),
  input: z.strictObject({}).prefault({}),
  output: zConsoleSession,
}

export const events = {
  meta: route('GET', '/api/v1/console/events', {
    tag: 'Console',
    summary: 'Server-Sent Events of what changes in lists',
    description:
      'Events named `change` say which thing of a list changed, and its state as it is now, at most some seconds after the change: ids and ' +
      'states alone, of what the caller may list. The first one is of the kind `everything`, and so is one in the place of more than can be ' +
      'told: whatever is shown is then to be read anew. `Last-Event-ID` brings what was missed in its place, where that is known. A thing that changes twice in a moment is told of once. Every 15 seconds a `ping` ' +
      'with the data `keepalive`. The stream stays open until the access token expires; with a session of the console, of which it is no ' +
      'activity, for a minute.',
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
      .meta({ description: 'What the header Last-Event-ID says otherwise.' }),
  }),
}

export const logout = {
  meta: route('POST', '/console/logout', {
    tag: 'Console',
    summary: 'Log out of the console',
    description:
      'Ends the session that the request has, and revokes its tokens at the identity provider. `location` is where the browser ends its ' +
      'session there; null where the provider has no such address.',
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
    summary: 'Log in to the console',
    description:
      'Sends the browser to the identity provider, and afterwards to `return`, an address below the console’s; to its first page where ' +
      'that is none. Over http a browser that came to this machine by another name than that of ISSUER_BASE_URL is sent there first.',
    errors: [403, 404],
  }),
  input: z.object({
    return: z.string().optional(),
    moved: z
      .string()
      .optional()
      .meta({ description: 'Set where the browser was sent here from another name of this machine.' }),
  }),
  output: zProtocolReply,
}

export const callback = {
  meta: route('GET', '/console/callback', {
    ...forBrowsers,
    summary: 'Come back from the identity provider to the console',
    description:
      'Where the identity provider sends the browser back to: in its redirect URIs. An answer counts once, and in the browser that began. ' +
      'Whoever has no role here gets no session.',
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
