import { describe, expect, it } from 'vitest'
import { createLog, logDestination } from '../../server/log/log.js'

async function written(say: (log: ReturnType<typeof createLog>) => void): Promise<string> {
  let text = ''
  const output = {
    isTTY: true,
    write: (part: string) => {
      text += part
    },
  }
  say(createLog('info', await logDestination(output)))
  return text
}

describe('the log on a terminal', () => {
  it('has one readable line for each request and each message', async () => {
    const text = await written((log) => {
      log.info({ requestId: 'r1', method: 'GET', path: '/version', status: 200, ms: 1.3 })
      log.warn({ requestId: 'r2', method: 'POST', path: '/x', status: 400, reason: 'No "x".' }, 'request refused')
      log.info('stopped')
    })
    expect(text.split('\n').map((line) => line.replace(/^\[\d\d:\d\d:\d\d\.\d{3}\] /, ''))).toEqual([
      'INFO: GET /version 200 1.3 ms {"requestId":"r1"}',
      'WARN: request refused POST /x 400 {"requestId":"r2","reason":"No \\"x\\"."}',
      'INFO: stopped',
      '',
    ])
  })

  it('shows an error with its stack, and no secret', async () => {
    const text = await written((log) => {
      log.error({ err: new TypeError('Broken.'), access_token: 'secret-token' }, 'request failed')
    })
    expect(text).toMatch(/ERROR: request failed *\n[\s\S]*TypeError: Broken\.[\s\S]*log\/terminal\.test/)
    expect(text).not.toContain('secret-token')
  })

  it('passes on no commands from callers: control characters do not reach it', async () => {
    const attack = '\u001b[2J\u001b]0;x\u0007\r\b\u009b31m\u007fC:\\run'
    const text = await written((log) => {
      log.warn({ path: attack, method: 'GET', status: 400, reason: attack }, attack)
      log.error({ err: new Error(attack) }, 'request failed')
    })
    expect(text.match(/(?![\n\t])\p{Cc}/gu)).toBeNull()
    expect(text).toContain('C:\\run')
  })
})
