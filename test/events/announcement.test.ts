import { describe, expect, it } from 'vitest'
import { packed, sessionNames, unpacked } from '../../server/events/announcement.js'
import { Announcer } from '../../server/events/announcer.js'
import { createLog } from '../../server/log/log.js'

const nameOf = sessionNames(new Uint8Array(32).fill(1))
const announcements = (count: number) =>
  Array.from({ length: count }, (_, at) => [nameOf(`session ${at}`), at + 1] as [string, number])

describe('messages', () => {
  it('contain the packed entries in as few messages as the size limit of PostgreSQL allows', () => {
    const all = announcements(1_000)
    const messages = packed(all)
    expect(messages.every((message) => Buffer.byteLength(message) <= 7_800)).toBe(true)
    expect(messages).toHaveLength(Math.ceil((1_000 * 26) / 7_800))
    expect(messages.flatMap(unpacked).map(({ name, seq }) => [name, seq])).toEqual(all)
    expect(packed([])).toEqual([])
  })

  it('contain only a name of the session, which cannot be derived from its id without the key', () => {
    const id = '5c2b7a0e-3a0f-4f0e-9b57-0d7e7f3c2a11'
    const [message = ''] = packed([[nameOf(id), 2]])
    expect(message).toMatch(/^[\w-]{22}:2$/)
    expect(message).not.toContain(id)
    expect(sessionNames(new Uint8Array(32))(id)).not.toBe(nameOf(id))
  })

  it('of strangers are ignored, and cost at most a scan of 7,800 characters', () => {
    const name = nameOf('x')
    const strange = [
      '',
      ' ',
      ':',
      name,
      `${name}:`,
      `${name}:x`,
      `${name}:-1`,
      `${name}:1e3`,
      `${name}:1234567890`,
      `${name} 1`,
    ]
    expect(strange.flatMap(unpacked)).toEqual([])
    expect(unpacked(`x ${name}:2 y:3`)).toEqual([{ name, seq: 2 }])
    expect(unpacked(`${name}:2 `.repeat(400))).toEqual([])
    expect(unpacked(' '.repeat(7_800)).length).toBe(0)
    // The reader parses only as many entries as one message with announcements can have.
    expect(unpacked(`${'x '.repeat(324)}${name}:2`)).toEqual([{ name, seq: 2 }])
    expect(unpacked(`${'x '.repeat(325)}${name}:2`)).toEqual([])
  })
})

/** Makes a transport whose answers the test controls. */
function slowTransport() {
  const sent: string[][] = []
  let answer: { resolve: () => void; reject: (error: Error) => void } | undefined
  return {
    sent,
    send: (messages: readonly string[]) => {
      sent.push([...messages])
      return new Promise<void>((resolve, reject) => {
        answer = { resolve, reject }
      })
    },
    answer: () => answer?.resolve(),
    refuse: () => answer?.reject(new Error('away')),
  }
}

describe('announcements that wait', () => {
  it('while a batch is being sent are sent in the next batch, each session once, with its last number', async () => {
    const transport = slowTransport()
    const announcer = new Announcer(transport, createLog('silent'))
    announcer.announce('a', 2)
    announcer.announce('b', 2)
    await expect.poll(() => transport.sent).toEqual([['a:2 b:2']])
    announcer.announce('a', 3)
    announcer.announce('c', 7)
    announcer.announce('a', 5)
    announcer.announce('a', 4)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(transport.sent).toHaveLength(1)
    transport.answer()
    await expect.poll(() => transport.sent.slice(1)).toEqual([['a:5 c:7']])
    transport.answer()
    await announcer.close()
    expect(transport.sent).toHaveLength(2)
  })

  it('are limited, and continue in batches of 5,000 some time after a failed batch', async () => {
    const transport = slowTransport()
    const announcer = new Announcer(transport, createLog('silent'), 400)
    announcer.announce('first', 2)
    await expect.poll(() => transport.sent).toHaveLength(1)
    for (const [name, seq] of announcements(100_010)) announcer.announce(name, seq)
    transport.refuse()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(transport.sent).toHaveLength(1)
    for (let batches = 2; batches <= 21; batches += 1) {
      await expect.poll(() => transport.sent).toHaveLength(batches)
      transport.answer()
    }
    await announcer.close()
    expect(transport.sent.slice(1).map((messages) => messages.flatMap(unpacked).length)).toEqual(Array(20).fill(5_000))
  })

  it('are sent before the process ends', async () => {
    const transport = slowTransport()
    const announcer = new Announcer(transport, createLog('silent'))
    announcer.announce('a', 2)
    const closed = announcer.close()
    announcer.announce('late', 2)
    await expect.poll(() => transport.sent).toEqual([['a:2']])
    expect(await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 50, 'not yet'))])).toBe('not yet')
    transport.answer()
    await closed
    expect(transport.sent).toEqual([['a:2']])
  })
})
