import type { Stage } from '../stage.js'

/** Shows the name and version of the service. */
export async function arrive(stage: Stage): Promise<void> {
  stage.step(`Ask ${stage.url} who it is`)
  const { name, version } = await stage.credence.service.version.query()
  stage.saw('service', `${name} ${version}`)
  stage.mustBe('its name', name, 'credence')
}
