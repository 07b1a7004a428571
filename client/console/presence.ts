/** How long a user counts as active after the last input by keyboard, pointer or wheel, in milliseconds. */
const THERE_MS = 60_000

let touchedAt = Date.now()

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'])
  addEventListener(event, () => (touchedAt = Date.now()), { capture: true, passive: true })

/** Whether a user is active in this window. A new window counts as active. */
export const isSomebodyThere = (): boolean => Date.now() - touchedAt < THERE_MS
