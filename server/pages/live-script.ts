/**
 * The only script of the pages. It has its own address. A page that is `live` has an element with `data-events`, the
 * address of its stream, and `data-final`, the states after which the script reloads the page. The script updates the
 * parts that it finds: the sentence (`role="status"`), the time left (`data-seconds`), and the button of the Digital
 * Credentials API (`data-request`). The answer to this button goes to `data-answer`, and the texts about failures are in `data-unusable` and `data-unanswered`. Without the script, these parts
 * are plain text, with a link to reload (`data-without-script`).
 */
export const LIVE_SCRIPT = `const live = document.querySelector('[data-events]')
if (live) {
  const lang = document.documentElement.lang
  const status = live.querySelector('[role="status"]')
  const say = (text) => { if (status.textContent !== text) status.textContent = text }
  const fallbacks = document.querySelectorAll('[data-without-script]')
  const fallBack = (needed) => { for (const element of fallbacks) element.hidden = !needed }
  fallBack(false)

  const final = live.dataset.final.split(' ')
  const events = new EventSource(live.dataset.events)
  events.addEventListener('session', ({ data }) => {
    const { state, message } = JSON.parse(data)
    say(message)
    if (!final.includes(state)) return
    events.close()
    location.reload()
  })
  events.addEventListener('error', () => fallBack(events.readyState === EventSource.CLOSED))

  // Times in the person's time zone instead of UTC.
  for (const moment of live.querySelectorAll('time'))
    moment.textContent = new Date(moment.dateTime).toLocaleString(lang === 'en' ? 'en-GB' : lang, { dateStyle: 'long', timeStyle: 'short' })

  const time = live.querySelector('[data-seconds]')
  if (time) {
    const end = performance.now() + Number(time.dataset.seconds) * 1000
    const inUnits = (value, unit) => new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
    const tick = () => {
      const seconds = Math.max(0, Math.round((end - performance.now()) / 1000))
      time.textContent = seconds >= 7200 ? inUnits(Math.floor(seconds / 3600), 'hour') : seconds >= 120 ? inUnits(Math.floor(seconds / 60), 'minute') : inUnits(seconds, 'second')
    }
    tick()
    setInterval(tick, 1000)
  }

  const button = live.querySelector('[data-request]')
  if (button) {
    const request = JSON.parse(button.dataset.request)
    const Credential = window.DigitalCredential
    const allowed = Credential && navigator.credentials && (!Credential.userAgentAllowsProtocol || Credential.userAgentAllowsProtocol(request.protocol))
    if (allowed) {
      button.hidden = false
      live.querySelector('[data-without-api]').hidden = true
    }
    button.addEventListener('click', async () => {
      button.disabled = true
      try {
        const { protocol, data } = await navigator.credentials.get({ mediation: 'required', digital: { requests: [request] } })
        const answer = await fetch(button.dataset.answer, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ protocol, data }),
        })
        if (!answer.ok) say(button.dataset.unusable)
      } catch {
        say(button.dataset.unanswered)
      }
      button.disabled = false
    })
  }
}
`
