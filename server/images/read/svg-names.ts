export const SVG = 'http://www.w3.org/2000/svg'
export const XLINK = 'http://www.w3.org/1999/xlink'
export const XML = 'http://www.w3.org/XML/1998/namespace'
export const XMLNS = 'http://www.w3.org/2000/xmlns/'

/**
 * Namespaces of drawing programs and of descriptions of a drawing. Programs that show an SVG ignore their elements and attributes.
 */
const INERT = new Set([
  'http://www.inkscape.org/namespaces/inkscape',
  'http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  'http://creativecommons.org/ns#',
  'http://web.resource.org/cc/',
  'http://purl.org/dc/elements/1.1/',
  'http://www.serif.com/',
  'http://www.bohemiancoding.com/sketch/ns',
  'http://vectornator.io',
])

const ADOBE = /^http:\/\/ns\.adobe\.com\/[\w./-]*$/

export const isInert = (namespace: string): boolean => INERT.has(namespace) || ADOBE.test(namespace)

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/**
 * The elements of a static drawing (SVG 2 §2.7 "secure static mode"): no scripts, no animation, no links, no content of other kinds.
 */
export const ELEMENTS = words(`
  svg g defs symbol use switch title desc metadata style view
  path rect circle ellipse line polyline polygon image
  text tspan textPath
  linearGradient radialGradient stop pattern clipPath mask marker
  filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
  feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight
  feSpecularLighting feSpotLight feTile feTurbulence`)

/** The attributes of these elements. `data-…` and `aria-…` are allowed too. `href` has a rule of its own. */
export const ATTRIBUTES = words(`
  id class style lang role type media version baseProfile contentScriptType contentStyleType systemLanguage requiredExtensions
  requiredFeatures enable-background
  x y x1 y1 x2 y2 cx cy r rx ry dx dy fx fy fr width height viewBox preserveAspectRatio zoomAndPan d points pathLength transform
  transform-origin transform-box rotate refX refY markerWidth markerHeight markerUnits orient offset method spacing startOffset side
  textLength lengthAdjust gradientUnits gradientTransform spreadMethod patternUnits patternContentUnits patternTransform
  clipPathUnits maskUnits maskContentUnits filterUnits primitiveUnits filterRes
  in in2 result mode values operator k1 k2 k3 k4 order kernelMatrix divisor bias targetX targetY edgeMode kernelUnitLength
  preserveAlpha surfaceScale diffuseConstant specularConstant specularExponent scale xChannelSelector yChannelSelector azimuth
  elevation stdDeviation radius baseFrequency numOctaves seed stitchTiles tableValues slope intercept amplitude exponent z
  pointsAtX pointsAtY pointsAtZ limitingConeAngle
  alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters color-profile
  color-rendering direction display dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity font font-family
  font-feature-settings font-kerning font-size font-size-adjust font-stretch font-style font-variant font-variant-ligatures
  font-weight glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation kerning letter-spacing lighting-color
  marker marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow paint-order pointer-events shape-rendering
  stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity
  stroke-width text-align text-anchor text-decoration text-indent text-overflow text-rendering text-transform unicode-bidi
  vector-effect visibility white-space word-spacing writing-mode xml:space`)

/** Attributes of XLink without an address. */
export const XLINK_ATTRIBUTES = words('title type show actuate role arcrole')

/** Attributes of XML. `base` is not among them: it changes where references lead. */
export const XML_ATTRIBUTES = words('space lang id')
