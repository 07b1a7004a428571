import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { webhookEventsText } from './webhook-events-text.js'

writeFileSync(join(import.meta.dirname, '../../client/webhook-events.ts'), webhookEventsText())
