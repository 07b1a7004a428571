import { execFileSync } from 'node:child_process'

/** The numbers r and s of a signature in DER, read by openssl, with their full length. */
export function derToJose(der: Buffer, octets: number): Buffer {
  const text = execFileSync('openssl', ['asn1parse', '-inform', 'DER'], { input: der }).toString()
  const numbers = [...text.matchAll(/INTEGER\s*:([0-9A-F]+)/g)].map(([, hex = '']) =>
    Buffer.from(hex.padStart(octets * 2, '0'), 'hex'),
  )
  return Buffer.concat(numbers)
}
