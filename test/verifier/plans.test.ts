import { expect, it } from 'vitest'
import { plannedAnew, recordPlans } from '../support/plans.js'
import { answer, present, queryIds } from './actors.js'
import { useWorld } from './world.js'

// There is only one connection, so it executes each statement at every presentation.
const world = useWorld({ maintenance: false, poolSize: 1 })

it('no statement of a presentation is planned again each time', async () => {
  const plans = recordPlans()
  try {
    for (let count = 0; count < 12; count += 1) {
      const { asked, payload } = await world.asked('dc+sd-jwt')
      const presentation = await present(world.held['dc+sd-jwt'], world.wallet, payload)
      const ids = queryIds(payload, 'dc+sd-jwt')
      const reply = await answer(payload, Object.fromEntries(ids.map((id) => [id, [presentation]])))
      expect(reply.status).toBe(200)
      await world.resultOf(asked)
    }
    const counts = await plans.read()
    expect(counts.filter(({ generic }) => generic > 0).length).toBeGreaterThan(5)
    expect(plannedAnew(counts)).toEqual([])
  } finally {
    plans.stop()
  }
})
