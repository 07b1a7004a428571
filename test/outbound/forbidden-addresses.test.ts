import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createDestinations } from '../../server/outbound/destination.js'
import { productionGuard, rebindingResolver, resolver, startServer, testNetworkGuard } from './test-network.js'

/** An address in the space of global unicast that IANA has not assigned. It counts as public, but is routed nowhere. */
const PUBLIC_NOWHERE = '3000::1'

const secretServer = () => startServer((_request, response) => response.end('internal secret'))

describe('a literal address of this machine is refused before anything is sent', () => {
  test.each([
    ['dotted decimal', '127.0.0.1'],
    ['any loopback address', '127.8.8.8'],
    ['the unspecified address', '0.0.0.0'],
    ['a single decimal number', '2130706433'],
    ['a single hexadecimal number', '0x7f000001'],
    ['a single octal number', '017700000001'],
    ['octal parts', '0177.0.0.01'],
    ['hexadecimal parts', '0x7f.0x0.0x0.0x1'],
    ['short form', '127.1'],
    ['zero', '0'],
    ['a trailing dot', '127.0.0.1.'],
    ['full-width digits', '１２７.０.０.１'],
    ['circled digits', '①②⑦.⓪.⓪.①'],
    ['percent encoding', '%31%32%37.0.0.1'],
    ['IPv6 loopback', '[::1]'],
    ['IPv6 unspecified', '[::]'],
    ['IPv6-mapped IPv4', '[::ffff:127.0.0.1]'],
    ['IPv6-mapped IPv4 in hexadecimal', '[::ffff:7f00:1]'],
    ['IPv4-compatible IPv6', '[::127.0.0.1]'],
    ['NAT64', '[64:ff9b::7f00:1]'],
    ['6to4', '[2002:7f00:1::]'],
  ])('%s: %s', async (_form, host) => {
    const secret = await secretServer()
    const lookup = resolver({})
    const outbound = productionGuard({ lookup })
    await expect(outbound.fetch(`http://${host}:${secret.port}/`)).rejects.toMatchObject({ code: 'address' })
    expect(secret.connections()).toBe(0)
    expect(lookup.asked).toEqual([])
  })

  test.each(['169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '10.0.0.1', '192.168.0.1', '100.64.0.1', '198.18.0.1'])(
    '%s is not requested either',
    async (host) => {
      const outbound = productionGuard({ lookup: resolver({}) })
      await expect(outbound.fetch(`http://${host}/latest/meta-data/`)).rejects.toMatchObject({ code: 'address' })
    },
  )

  test('an address with a zone id is not a valid URL (WHATWG URL, host parsing)', async () => {
    const outbound = productionGuard({ lookup: resolver({}) })
    await expect(outbound.fetch('http://[fe80::1%25lo]/')).rejects.toMatchObject({ code: 'url' })
  })
})

describe('names of this machine are refused without asking a resolver (RFC 6761 §6.3)', () => {
  test.each(['localhost', 'LOCALHOST', 'localhost.', 'admin.localhost', 'a.b.localhost.', 'ⓛocalhost'])(
    '%s',
    async (host) => {
      const secret = await secretServer()
      const lookup = rebindingResolver(PUBLIC_NOWHERE)
      const outbound = productionGuard({ lookup })
      await expect(outbound.fetch(`http://${host}:${secret.port}/`)).rejects.toMatchObject({ code: 'address' })
      expect(secret.connections()).toBe(0)
      expect(lookup.asked).toEqual([])
    },
  )
})

describe('a name that resolves to an address that is not public is refused', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    '::ffff:127.0.0.1',
    'fe80::1%lo',
    'fd00::1',
    '64:ff9b::7f00:1',
    '0.0.0.0',
    'no-address',
  ])('%s', async (address) => {
    const secret = await secretServer()
    const outbound = productionGuard({ lookup: resolver({ 'evil.example': [address] }) })
    const error = await outbound.fetch(`http://evil.example:${secret.port}/`).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'address', message: expect.stringContaining('evil.example') })
    expect(String(error)).not.toContain(address)
    expect(secret.connections()).toBe(0)
  })

  test.each([
    ['first', ['127.0.0.1', PUBLIC_NOWHERE]],
    ['last', [PUBLIC_NOWHERE, '127.0.0.1']],
  ])('also if it is %s among public addresses', async (_position, addresses) => {
    const secret = await secretServer()
    const outbound = productionGuard({ lookup: resolver({ 'evil.example': addresses }) })
    await expect(outbound.fetch(`http://evil.example:${secret.port}/`)).rejects.toMatchObject({ code: 'address' })
    expect(secret.connections()).toBe(0)
  })
})

describe('DNS rebinding', () => {
  test('a resolver that answers first with a public, then with a private address is asked only once, so no private address is used', async () => {
    const secret = await secretServer()
    const lookup = rebindingResolver(PUBLIC_NOWHERE, '127.0.0.1')
    const outbound = productionGuard({ lookup, timeoutMs: 1_000 })
    const url = `http://evil.example:${secret.port}/`
    const error = await outbound.fetch(url).catch((thrown: unknown) => thrown)
    expect(['connect', 'timeout']).toContain((error as { code: unknown }).code)
    expect(lookup.asked).toEqual(['evil.example'])
    await expect(outbound.fetch(url)).rejects.toMatchObject({ code: 'address' })
    expect(secret.connections()).toBe(0)
  })

  test('each new connection to a known host is checked again', async () => {
    const reachable = await startServer((_request, response) => response.setHeader('connection', 'close').end('ok'))
    const lookup = rebindingResolver('127.0.0.1', '127.0.0.2')
    const outbound = testNetworkGuard({ lookup })
    const url = `http://evil.example:${reachable.port}/`
    expect(await (await outbound.fetch(url)).text()).toBe('ok')
    await expect(outbound.fetch(url)).rejects.toMatchObject({ code: 'address' })
    expect(lookup.asked).toHaveLength(2)
    expect(reachable.connections()).toBe(1)
  })

  test('a kept connection serves its own host and port only', async () => {
    const server = await startServer((_request, response) => response.end('ok'))
    const lookup = resolver({ 'good.example': ['127.0.0.1'], 'evil.example': ['127.0.0.2'] })
    const outbound = testNetworkGuard({ lookup })
    await outbound.fetch(`http://good.example:${server.port}/`)
    // After the answer, the client needs one turn of the event loop until it can use the connection again.
    await setImmediate()
    await outbound.fetch(`http://good.example:${server.port}/`)
    expect(server.connections()).toBe(1)
    await expect(outbound.fetch(`http://evil.example:${server.port}/`)).rejects.toMatchObject({ code: 'address' })
    expect(server.requests.map(({ headers }) => headers.host)).toEqual(Array(2).fill(`good.example:${server.port}`))
  })
})

describe('hosts that the operator allows (OUTBOUND_ALLOWED_HOSTS)', () => {
  test.each([
    ['a name', 'internal.example', 'internal.example'],
    ['a name in another case', 'Internal.EXAMPLE', 'internal.example'],
    ['an address', '127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost', 'localhost'],
  ])('may be private: %s', async (_what, entry, host) => {
    const server = await startServer((_request, response) => response.end('inside'))
    const lookup = resolver({ [host]: ['127.0.0.1'] })
    const outbound = productionGuard({ lookup, allowedHosts: [entry] })
    expect((await outbound.fetchText(`http://${host}:${server.port}/`)).text).toBe('inside')
  })

  test('are looked up by the resolver of the machine by default', async () => {
    const server = await startServer((_request, response) => response.end('inside'))
    const outbound = testNetworkGuard({ lookup: undefined, allowedHosts: ['localhost'] })
    expect((await outbound.fetchText(`http://localhost:${server.port}/`)).text).toBe('inside')
  })

  test('a port in the entry is the only allowed port', async () => {
    const server = await startServer((_request, response) => response.end('inside'))
    const secret = await secretServer()
    const lookup = resolver({ 'internal.example': ['127.0.0.1'] })
    const outbound = productionGuard({ lookup, allowedHosts: [`internal.example:${server.port}`] })
    expect((await outbound.fetchText(`http://internal.example:${server.port}/`)).text).toBe('inside')
    const refused = outbound.fetchText(`http://internal.example:${secret.port}/`)
    await expect(refused).rejects.toMatchObject({ code: 'address' })
    expect(secret.connections()).toBe(0)
  })

  test('the default port of a scheme can be named by its number', async () => {
    const destinations = createDestinations({
      allowHttp: true,
      allowedHosts: ['a.example:443', '[::1]:80', '::2'],
      ownOrigins: ['https://own.example', 'http://[::3]:3000'],
      ownPathAllowed: () => true,
    })
    const may = (protocol: string, hostname: string, port: string) =>
      destinations.mayBePrivate({ protocol, hostname, port })
    expect(may('https:', 'a.example', '')).toBe(true)
    expect(may('http:', 'a.example', '')).toBe(false)
    expect(may('http:', '::1', '')).toBe(true)
    expect(may('http:', '::1', '81')).toBe(false)
    expect(may('https:', '::2', '8443')).toBe(true)
    expect(may('https:', 'own.example', '443')).toBe(true)
    expect(may('https:', 'own.example', '5432')).toBe(false)
    expect(may('http:', 'own.example', '')).toBe(false)
    expect(may('http:', '::3', '3000')).toBe(true)
  })

  test('a name below an allowed name is not allowed', async () => {
    const lookup = resolver({ 'evil.internal.example': ['127.0.0.1'] })
    const outbound = productionGuard({ lookup, allowedHosts: ['internal.example'] })
    await expect(outbound.fetch('http://evil.internal.example/')).rejects.toMatchObject({ code: 'address' })
  })

  test.each(['https://internal.example', 'a/b', 'a:b', 'a:', 'user@host', '', '[::1', 'a b'])(
    'the entry "%s" stops the start',
    (entry) => {
      expect(() => testNetworkGuard({ allowedHosts: [entry] })).toThrow(
        `an entry "${entry}" that is neither host nor host:port`,
      )
    },
  )
})

describe('the form of an address', () => {
  test('plain http is refused unless it is allowed', async () => {
    const server = await secretServer()
    const outbound = testNetworkGuard({ allowHttp: false })
    const refused = outbound.fetch(`http://wallet.example:${server.port}/`)
    await expect(refused).rejects.toMatchObject({
      code: 'scheme',
      message: `wallet.example:${server.port} must be requested over https.`,
    })
    expect(server.connections()).toBe(0)
  })

  test.each([
    'file:///etc/passwd',
    'data:text/plain,x',
    'ftp://wallet.example/',
    'gopher://127.0.0.1:6379/_x',
    'blob:x',
  ])('the scheme of %s is refused', async (url) => {
    await expect(testNetworkGuard().fetch(url)).rejects.toMatchObject({ code: 'scheme' })
  })

  test.each([
    'http://wallet.example@127.0.0.1/',
    'http://user:secret@wallet.example/',
    'http://:secret@wallet.example/',
  ])('a user name is refused: %s', async (url) => {
    const error = await testNetworkGuard()
      .fetch(url)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'url' })
    expect(String(error)).not.toContain('secret')
  })

  test.each(['', 'wallet.example', '/relative', 'http://', 'http://a b/', 'http://256.1.1.1/'])(
    '"%s" is not an absolute URL',
    async (url) => {
      await expect(testNetworkGuard().fetch(url)).rejects.toMatchObject({ code: 'url' })
    },
  )
})
