import { Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'

/** The parts of "Trust and keys", each with an address of its own. */
export function Sections() {
  const { trust: words, nav } = useTexts()
  return (
    <nav className="sections" aria-label={nav.trust}>
      <Link to="/trust" activeOptions={{ exact: true }}>
        {words.signers}
      </Link>
      <Link to="/trust/trusted">{words.trusted}</Link>
      <Link to="/trust/rotation">{words.rotation}</Link>
    </nav>
  )
}
