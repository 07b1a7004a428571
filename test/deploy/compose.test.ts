import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DCLinter } from 'dclint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import {
  configOf,
  environmentOf,
  imageEnvironment,
  isInImage,
  read,
  root,
  SECRETS,
  stopSeconds,
  unknownVariables,
} from './environment.js'

const PROCESSES = 'deploy/compose/compose.yml'

interface LintResult {
  readonly messages: readonly { readonly type: 'error' | 'warning'; readonly message: string }[]
}

const zService = z.looseObject({
  image: z.string().optional(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.boolean() })).default([]),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  network_mode: z.string().optional(),
  stop_grace_period: z.string().optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
})
const zFile = z.looseObject({ services: z.record(z.string(), zService) })

/** @param values the variables that the file takes from its `.env` */
function servicesOf(file: string, values: Readonly<Record<string, string>>) {
  const filled = (text: string) =>
    text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, word?: string) => {
      return values[name] || (kind === '-' ? (word ?? '') : '')
    })
  const parsed = parse(read(file), (_, value) => (typeof value === 'string' ? filled(value) : value), { merge: true })
  return zFile.parse(parsed).services
}

const ANSWERS = {
  ...SECRETS,
  ISSUER_BASE_URL: 'https://credence.example.org',
  VERIFIER_BASE_URL: 'https://credence.example.org',
  OIDC_JWKS_URL: 'https://login.example.org/jwks',
  DATABASE_PASSWORD: 'secret',
  REPLICATION_PASSWORD: 'another',
}

describe.each(['docker-compose.yml', PROCESSES])('%s', (file) => {
  const services = Object.entries(servicesOf(file, ANSWERS))
  const ofService = services.filter(
    ([, { build, environment }]) => build !== undefined && environment.DATABASE_URL !== undefined,
  )

  it('is valid under the schema of the Compose Specification', () => {
    const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] })
    const [result, ...others]: LintResult[] = linter.lintFiles([join(root, file)], false)
    expect(others).toEqual([])
    // Warnings are only about style, such as the order of keys.
    expect(result?.messages.filter(({ type }) => type === 'error').map(({ message }) => message)).toEqual([])
  })

  it('gives the service only existing variables, and time to stop', () => {
    expect(ofService.length).toBeGreaterThan(0)
    for (const [name, { environment, command, stop_grace_period: grace }] of ofService) {
      expect(unknownVariables(environment), name).toEqual([])
      const config = configOf(environment)
      expect([config.shutdownDelaySeconds, grace], name).toEqual([5, '45s'])
      expect(stopSeconds(config), name).toBeLessThanOrEqual(45)
      if (command !== undefined) expect(isInImage(command), name).toBe(true)
    }
  })

  it('names only existing files and services', () => {
    for (const [name, { volumes, build, depends_on: needs }] of services) {
      const paths = volumes.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('.'))
      for (const path of paths) expect(existsSync(join(root, dirname(file), path)), `${name}: ${path}`).toBe(true)
      if (build !== undefined) expect(existsSync(join(root, dirname(file), build, 'Dockerfile')), name).toBe(true)
      for (const needed of Object.keys(needs)) expect(Object.fromEntries(services), name).toHaveProperty([needed])
    }
  })
})

const zRealm = z.looseObject({
  realm: z.string(),
  sslRequired: z.string(),
  roles: z.object({ realm: z.array(z.looseObject({ name: z.string() })) }),
  clients: z.array(
    z.looseObject({
      clientId: z.string(),
      enabled: z.boolean(),
      publicClient: z.boolean(),
      secret: z.string().optional(),
      standardFlowEnabled: z.boolean(),
      redirectUris: z.array(z.string()).default([]),
      attributes: z.record(z.string(), z.string()).default({}),
      protocolMappers: z.array(z.looseObject({ config: z.record(z.string(), z.string()) })),
    }),
  ),
  users: z.array(
    z.looseObject({
      username: z.string(),
      enabled: z.boolean(),
      realmRoles: z.array(z.string()),
      credentials: z.array(z.looseObject({ value: z.string() })).default([]),
    }),
  ),
})

/** True if a URI is one of Keycloak's redirect URIs, which may end with `*`. */
const isRegistered = (uri: string, registered: readonly string[]) =>
  registered.some((entry) => (entry.endsWith('*') ? uri.startsWith(entry.slice(0, -1)) : uri === entry))

describe('the login of docker-compose.yml', () => {
  const services = servicesOf('docker-compose.yml', {})
  const { credence, keycloak } = services
  const config = configOf(credence?.environment ?? {})
  const realm = zRealm.parse(JSON.parse(read('deploy/keycloak/credence-realm.json')))
  const client = realm.clients.find(({ clientId }) => clientId === config.signIn?.clientId)

  it('is on: the console asks for a login', () => {
    expect(config).toMatchObject({ authDisabled: false, console: { mode: 'login' } })
  })

  it('reaches Keycloak by one address, from the browser and from the service', () => {
    const issuer = new URL(config.signIn?.issuer ?? '')
    expect(credence?.network_mode).toBe('service:keycloak')
    expect(credence?.ports).toEqual([])
    expect(keycloak?.environment.KC_HOSTNAME).toBe(issuer.origin)
    expect(keycloak?.ports).toEqual([`127.0.0.1:${issuer.port}:8080`, `127.0.0.1:${config.port}:3000`])
    expect(new URL(config.issuerBaseUrl).port).toBe(String(config.port))
    expect([issuer.pathname, issuer.hostname, issuer.port]).toEqual([`/realms/${realm.realm}`, 'localhost', '8080'])
    expect(config.oidc.jwksUrl).toBe(`${issuer.href}/protocol/openid-connect/certs`)
    expect(config.verifierBaseUrl).toBe(config.issuerBaseUrl)
    // Keycloak's own ports: 8080, and 9000 for its health (Keycloak 26, "Configuring the Management Interface").
    for (const port of [config.port, config.metrics.port]) expect([8080, 9000]).not.toContain(port)
  })

  it('imports the realm at the start', () => {
    expect(keycloak?.command).toEqual(['start-dev', '--import-realm'])
    expect(keycloak?.volumes).toEqual([
      './deploy/keycloak/credence-realm.json:/opt/keycloak/data/import/credence-realm.json:ro',
    ])
  })

  it('is with a client of the realm, which knows the addresses of the service', () => {
    const callback = `${config.issuerBaseUrl}/console/callback`
    expect(client).toMatchObject({ enabled: true, standardFlowEnabled: true })
    expect([client?.publicClient, client?.secret]).toEqual([true, config.signIn?.clientSecret])
    for (const uri of [callback, `${config.issuerBaseUrl}/openid4vci/authorize/callback`])
      expect(isRegistered(uri, client?.redirectUris ?? []), uri).toBe(true)
    // `+` stands for the redirect URIs.
    expect(client?.attributes['post.logout.redirect.uris']).toBe('+')
    const audiences = client?.protocolMappers.map(({ config: mapper }) => mapper['included.custom.audience'])
    expect(audiences).toContain(config.oidc.audience)
  })

  it('is for the users of the realm: an admin, an issuer, a verifier and a user without a role', () => {
    const { adminRole, issuerRole, verifierRole } = config
    const roles = [adminRole, issuerRole, verifierRole]
    expect(realm.roles.realm.map(({ name }) => name).sort()).toEqual([...roles].sort())
    const byName = new Map(realm.users.map((user) => [user.username, user]))
    const rolesOf = (name: string) => byName.get(name)?.realmRoles
    expect(rolesOf('admin')).toContain(adminRole)
    expect([rolesOf('issuer'), rolesOf('verifier'), rolesOf('holder')]).toEqual([[issuerRole], [verifierRole], []])
    for (const name of ['admin', 'issuer', 'verifier', 'holder']) {
      const user = byName.get(name)
      expect([user?.enabled, user?.credentials.map(({ value }) => value)], name).toEqual([true, [name]])
    }
  })
})

describe(PROCESSES, () => {
  const services = servicesOf(PROCESSES, ANSWERS)
  const [one, two] = [services['credence-1'], services['credence-2']]
  const config = configOf(one?.environment ?? {})

  it('runs two equal processes behind the balancer, which has the right addresses of processes and probes', () => {
    expect(two).toEqual(one)
    const named = [...read('deploy/haproxy/haproxy.cfg').matchAll(/"\$\{(\w+)\}"/g)].map(([, name = '']) => name)
    expect(Object.keys(services.balancer?.environment ?? {}).sort()).toEqual([...new Set(named)].sort())
    expect(services.balancer?.environment).toMatchObject({
      CREDENCE_1: `credence-1:${config.port}`,
      CREDENCE_1_PROBE: String(config.metrics.port),
      CREDENCE_2: `credence-2:${config.port}`,
      CREDENCE_2_PROBE: String(config.metrics.port),
    })
    expect(config.shutdownDelaySeconds).toBe(5)
    expect(config.trustProxy).toEqual(['uniquelocal'])
  })

  it('has a balancer that probes readiness often enough for the delay, and sets the address of the client', () => {
    const balancer = read('deploy/haproxy/haproxy.cfg')
    expect(balancer).toMatch(/^ {2}option httpchk GET \/health\/readiness\n {2}http-check expect status 200$/m)
    expect(balancer).toMatch(/^ {2}http-request set-header X-Forwarded-For %\[src\]$/m)
    const [, every, fall] = /^ {2}default-server check inter (\d+)s fall (\d+) rise 1 /m.exec(balancer) ?? []
    expect([every, fall]).toEqual(['1', '2'])
    expect(Number(every) * (Number(fall) + 1)).toBeLessThan(config.shutdownDelaySeconds)
  })

  it('has an image that probes readiness equally often', () => {
    const [, options = '', command = ''] = /^HEALTHCHECK (.*) \\\n +CMD (.*)$/m.exec(read('Dockerfile')) ?? []
    expect(options.split(' ')).toEqual(expect.arrayContaining(['--interval=1s', '--timeout=4s', '--retries=2']))
    expect(command).toContain('GET /health/readiness')
  })

  it('limits the size of logs', () => {
    for (const [name, { logging }] of Object.entries(services)) expect(logging, name).toEqual({ driver: 'local' })
  })

  it('migrates before a process serves', () => {
    expect(one?.depends_on.migrate?.condition).toBe('service_completed_successfully')
    expect(isInImage(services.migrate?.command ?? [])).toBe(true)
    expect(services.migrate?.depends_on).not.toHaveProperty('pgbouncer')
  })

  it('sends statements through a pooler of transactions, and connection-bound statements past it', () => {
    const pooler = environmentOf(read('deploy/compose/pgbouncer/pgbouncer.ini').replace(/ = /g, '=').toUpperCase())
    const url = new URL(config.databaseUrl)
    expect([url.port, url.searchParams.get('pgbouncer')]).toEqual([pooler.LISTEN_PORT, 'true'])
    expect(pooler.POOL_MODE).toBe('TRANSACTION')
    expect(new URL(config.directDatabaseUrl).host).toBe('postgres:5432')
    expect(config.events).toEqual({ transport: 'redis', url: 'redis://redis:6379' })
    const replica = new URL(config.databaseReplicaUrl ?? '')
    expect(services[replica.hostname]?.environment.PRIMARY).toBe(new URL(config.directDatabaseUrl).hostname)
    expect([replica.pathname, replica.search]).toEqual([url.pathname, ''])
  })

  it('takes every secret from .env, has no default secrets, and does not start without them', () => {
    const asked = [...read(PROCESSES).matchAll(/\$\{(\w+)(:[-?])?/g)].map(([, name = '', kind]) => ({ name, kind }))
    const example = [...read('deploy/compose/.env.example').matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name = '']) => name)
    expect([...new Set(asked.map(({ name }) => name))].sort()).toEqual([...example].sort())
    for (const name of ['DATABASE_PASSWORD', 'REPLICATION_PASSWORD', 'CLIENT_SECRET', 'KEY_ENCRYPTION_KEY']) {
      expect(
        asked.filter((use) => use.name === name).some(({ kind }) => kind === ':?'),
        name,
      ).toBe(true)
      expect(
        asked.filter((use) => use.name === name).some(({ kind }) => kind === ':-'),
        name,
      ).toBe(false)
      expect(environmentOf(read('deploy/compose/.env.example'))[name]).toBe('')
    }
  })

  it('gives the other variables of an existing service.env to both processes and the migration', () => {
    for (const service of [one, two, services.migrate])
      expect(service?.env_file).toEqual([{ path: 'service.env', required: false }])
    expect(read('.gitignore').split('\n')).toContain('deploy/compose/service.env')
    const others = Object.entries(services).filter(([, { env_file }]) => env_file.length > 0)
    expect(others.map(([name]) => name).sort()).toEqual(['credence-1', 'credence-2', 'migrate'])
  })

  it('does not repeat settings of the image', () => {
    for (const name of ['HOST', 'PORT']) expect(one?.environment[name]).toBeUndefined()
    expect(imageEnvironment()).toMatchObject({ HOST: '0.0.0.0', PORT: '3000', NODE_ENV: 'production' })
  })
})
