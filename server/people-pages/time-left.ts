import { type Html, html } from '../pages/html.js'
import type { Speech } from '../pages/speech.js'

const MOST_COUNTED_SECONDS = 86_400

/** Shows how long an action is still possible. Undefined for an action without a time limit. */
export function timeLeft(until: Date | null, now: Date, speech: Speech): Html | undefined {
  if (until === null) return undefined
  const seconds = Math.max(0, Math.round((until.getTime() - now.getTime()) / 1000))
  const moment = html`<time datetime="${until.toISOString()}">${speech.moment(until)}</time>`
  if (seconds > MOST_COUNTED_SECONDS) return html`<p class="time">${speech.show('open.until', { moment })}</p>`
  const duration = html`<span data-seconds="${seconds}">${speech.duration(seconds)}</span>`
  return html`<p class="time">${speech.show('open.timeLeft', { duration, moment })}</p>`
}
