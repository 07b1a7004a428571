/**
 * The only script of the pages. It has its own address. A page that is `live` has an element with `data-events`, the
 * address of its stream, and `data-final`, the states after which the script reloads the page. The script updates the
 * parts that it finds: the sentence (`role="status"`), the time left (`data-seconds`), and the button of the Digital
 * Credentials API (`data-request`). The answer to this button goes to `data-answer`. Without the script, these parts
 * are plain text, with a link to reload (`data-without-script`).
 */
export const LIVE_SCRIPT = `const live = document.querySelector('[data-events]')
if (live) {
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
    moment.textContent = new Date(moment.dateTime).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })

  const time = live.querySelector('[data-seconds]')
  if (time) {
    const end = performance.now() + Number(time.dataset.seconds) * 1000
    const tick = () => {
      const seconds = Math.max(0, Math.round((end - performance.now()) / 1000))
      time.textContent = seconds >= 7200 ? Math.floor(seconds / 3600) + ' hours' : seconds >= 120 ? Math.floor(seconds / 60) + ' minutes' : seconds + (seconds === 1 ? ' second' : ' seconds')
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
        if (!answer.ok) say('The wallet’s answer could not be used.')
      } catch {
        say('No wallet answered. You can try again.')
      }
      button.disabled = false
    })
  }
}
`
