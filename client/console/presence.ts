/** For how long after the last touch of keyboard, pointer or wheel somebody counts as being there, in milliseconds. */
const THERE_MS = 60_000

let touchedAt = Date.now()

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'])
  addEventListener(event, () => (touchedAt = Date.now()), { capture: true, passive: true })

/** Whether somebody uses this window. Whoever has just opened it does. */
export const isSomebodyThere = (): boolean => Date.now() - touchedAt < THERE_MS
