import { createHmac } from 'node:crypto'

/** Returns a key of 32 bytes for one purpose. The key is the same in every process and after every restart. */
export type SealingKey = (use: string) => Uint8Array

/**
 * Returns the id of the page that is created on demand for an offering or a session: a UUID of version 8 (RFC 9562
 * §5.8). The same offering or session always has the same id, so the id is known before the page exists. Strangers
 * cannot compute this id from the id of the offering or the session.
 */
export function onDemandPageId(
  { sealingKey }: { readonly sealingKey: SealingKey },
  kind: 'present' | 'receive',
  targetId: string,
): string {
  const bytes = createHmac('sha256', sealingKey('page-on-demand')).update(`${kind} ${targetId}`).digest()
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
