/** For how long after the last touch of keyboard, pointer or wheel somebody counts as being there, in milliseconds. */
const THERE_MS = 60_000

let touchedAt = Date.now()

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'])
  addEventListener(event, () => (touchedAt = Date.now()), { capture: true, passive: true })

/** Whether a user is active in this window. A new window counts as active. */
export const isSomebodyThere = (): boolean => Date.now() - touchedAt < THERE_MS
