import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'

/** The ciphers of TLS 1.3, and the ciphers that RFC 9325 §4.2 recommends for TLS 1.2. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
].join(':')

export interface TlsProxyOptions {
  /** Private key and chain as PEM. */
  readonly pem: string
  /** The proxy's port on 127.0.0.1. */
  readonly port: number
  /** The port of the service behind the proxy, on 127.0.0.1. */
  readonly servicePort: number
}

/** Starts a proxy that ends TLS in front of a service on this machine. @returns a function that ends the proxy */
export async function startTlsProxy({ pem, port, servicePort }: TlsProxyOptions): Promise<() => Promise<void>> {
  const server = createServer(
    { key: pem, cert: pem, minVersion: 'TLSv1.2', ciphers: CIPHERS },
    (incoming, outgoing) => {
      const headers = { ...incoming.headers, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' }
      const { method, url } = incoming
      const onward = request({ host: '127.0.0.1', port: servicePort, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      onward.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
      incoming.pipe(onward)
    },
  )
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
}
