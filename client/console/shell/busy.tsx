import { useIsMutating } from '@tanstack/react-query'

/** A line at the top of the window while the service works on a press of a button. The button itself cannot be pressed again. */
export function Busy() {
  return useIsMutating() > 0 ? <div className="busy" aria-hidden="true" /> : null
}
