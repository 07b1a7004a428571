import { Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'
import { May } from '../../ui/use-may.js'

/** The screens of "Trust and keys", with their addresses. */
export function Sections() {
  const { trust: words, nav } = useTexts()
  return (
    <nav className="sections" aria-label={nav.trust}>
      <Link to="/trust" activeOptions={{ exact: true }}>
        {words.signers}
      </Link>
      <May open="/trust/keys">
        <Link to="/trust/keys">{words.keys}</Link>
      </May>
      <Link to="/trust/trusted">{words.trusted}</Link>
      <May open="/trust/lists">
        <Link to="/trust/lists">{words.lists}</Link>
      </May>
      <May open="/trust/explain">
        <Link to="/trust/explain">{words.explain}</Link>
      </May>
      <May open="/trust/images">
        <Link to="/trust/images">{words.images}</Link>
      </May>
      <Link to="/trust/rotation">{words.rotation}</Link>
    </nav>
  )
}
