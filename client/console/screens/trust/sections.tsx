import { Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'

/** The screens of "Trust and keys", with their addresses. */
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
