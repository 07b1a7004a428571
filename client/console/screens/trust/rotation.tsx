import { Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { Screen } from '../../ui/screen.js'
import { May } from '../../ui/use-may.js'
import { Command } from './command.js'
import { Sections } from './sections.js'

const INSTALLED = 'node dist/server/key-rotation/command.js'
const CHECKOUT = 'npm run keys:rotate'

/**
 * Instructions for the rotation of all keys, and its effects. An operator runs this rotation on the machine of the service. The
 * screen of signing keys rotates the key of one record.
 */
export function Rotation() {
  const { trust: words } = useTexts()
  return (
    <Screen title={words.rotation} intro={words.rotationIntro}>
      <Sections />
      <div className="panels">
        <div className="stack">
          <Panel title={words.howTo} intro={words.howToIntro}>
            <h3>{words.installed}</h3>
            <Command what={words.rotateCommand} command={INSTALLED} />
            <h3>{words.checkout}</h3>
            <Command what={words.rotateInCheckout} command={CHECKOUT} />
            <h3>{words.anotherAlgorithm}</h3>
            <p className="soft">{words.anotherAlgorithmText}</p>
            <Command what={words.rotateToEdDsa} command={`${INSTALLED} --alg EdDSA`} />
            <Command what={words.rotateToEs256} command={`${INSTALLED} --alg ES256`} />
            <May open="/trust/keys">
              <p>
                <Link to="/trust/keys">{words.rotateOne}</Link>
              </p>
            </May>
          </Panel>
          <Panel title={words.stolen}>
            <p>{words.stolenText}</p>
          </Panel>
        </div>
        <Panel title={words.means}>
          <dl className="facts">
            {words.meaning.map(([about, sentence]) => (
              <Fact key={about} name={about}>
                {sentence}
              </Fact>
            ))}
          </dl>
        </Panel>
      </div>
    </Screen>
  )
}
