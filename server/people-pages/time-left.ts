import { type Html, html } from '../pages/html.js'

/**
 * `3 hours`, `4 minutes`, or below two minutes, `90 seconds`. The script of the pages writes durations in the same way.
 */
function durationText(seconds: number): string {
  if (seconds >= 7_200) return `${Math.floor(seconds / 3_600)} hours`
  if (seconds >= 120) return `${Math.floor(seconds / 60)} minutes`
  return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
}

const MOST_COUNTED_SECONDS = 86_400

/** `21 November 2026, 14:05 UTC` */
const momentText = (moment: Date): string =>
  `${moment.toLocaleString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' })} UTC`

/** Shows how long an action is still possible. Undefined for an action without a time limit. */
export function timeLeft(until: Date | null, now: Date): Html | undefined {
  if (until === null) return undefined
  const seconds = Math.max(0, Math.round((until.getTime() - now.getTime()) / 1000))
  const moment = html`<time datetime="${until.toISOString()}">${momentText(until)}</time>`
  if (seconds > MOST_COUNTED_SECONDS) return html`<p class="time">Open until ${moment}.</p>`
  return html`<p class="time">Time left: <span data-seconds="${seconds}">${durationText(seconds)}</span> (until ${moment}).</p>`
}
