/** The polynomial of CRC-32C (RFC 3720 §12.1) with its bits reversed. */
const POLYNOMIAL = 0x82f63b78

const TABLE = Uint32Array.from({ length: 256 }, (_, octet) => {
  let remainder = octet
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0)
  return remainder
})

/** The checksum CRC-32C of octets (RFC 3720 §12.1), as an unsigned number. `zlib` of Node.js has only CRC-32. */
export function crc32c(octets: Uint8Array): number {
  let remainder = 0xffffffff
  for (const octet of octets) remainder = (remainder >>> 8) ^ (TABLE[(remainder ^ octet) & 0xff] ?? 0)
  return (remainder ^ 0xffffffff) >>> 0
}
