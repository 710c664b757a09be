import {
  defaultTreeAdapter,
  parseFragment,
  serialize,
  serializeOuter,
  type DefaultTreeAdapterTypes,
} from 'parse5';

type Element = DefaultTreeAdapterTypes.Element;

const SAFE_ADDRESS =
  /^(?:https?:|mailto:|ftp:|news:|nntp:|tel:|magnet:|xmpp:|gemini:|#user-content-|data:image\/(?!svg))/i;

const FORBIDDEN =
  /^(?:script|style|animate\w*|set|use|image|foreignobject|desc|object|embed|form|input|button|textarea|base|link|meta|template|title|noscript|annotation.*|mglyph|malignmark|frame|frameset|applet|marquee|portal|plaintext|xmp)$/i;

const ADDRESSES =
  /^(?:href|src|poster|cite|action|formaction|background|longdesc|ping|xlink:href)$/;

/**
 * Markup of a sanitised body that a browser could execute, parsed by the algorithm of the HTML standard;
 * also after serialising and parsing again, which is how mutation XSS works. Empty if there is none.
 */
export function dangersOf(html: string): string[] {
  const once = parseFragment(html);
  const again = parseFragment(serialize(once));
  return [...new Set([...walk(once.childNodes), ...walk(again.childNodes)])];
}

/**
 * An element after the one with the body, as a browser parses it when the body escapes its own: by end
 * tags, or by unclosed elements. Null if it does not.
 */
export function escapedFrom(html: string): string | null {
  const after = '<div>after</div>';
  const { childNodes } = parseFragment(`<div>${html}</div>${after}`);
  const [own, next, ...rest] = childNodes;
  const isNext = next !== undefined && serializeOuter(next) === after && rest.length === 0;
  return own !== undefined && isNext
    ? null
    : childNodes
        .slice(1)
        .map((node) => serializeOuter(node))
        .join('');
}

function walk(nodes: readonly DefaultTreeAdapterTypes.ChildNode[]): string[] {
  return nodes.flatMap((node) =>
    defaultTreeAdapter.isElementNode(node) ? [...ofElement(node), ...walk(node.childNodes)] : [],
  );
}

function ofElement({ tagName, attrs }: Element): string[] {
  const dangers = FORBIDDEN.test(tagName) ? [`<${tagName}>`] : [];
  for (const { prefix, name, value } of attrs) {
    const attribute = prefix ? `${prefix}:${name}` : name;
    const isDrawing = tagName === 'img' && attribute === 'src' && /^data:image\/svg/i.test(value);
    if (/^(?:on|style$|srcdoc$|xlink|formaction$|is$|slot$|part$)/i.test(attribute)) {
      dangers.push(`${tagName} ${attribute}`);
    } else if (ADDRESSES.test(attribute) && !isDrawing && !SAFE_ADDRESS.test(value)) {
      dangers.push(`${tagName} ${attribute}=${value}`);
    } else if (attribute === 'id' && !value.startsWith('user-content-')) {
      dangers.push(`${tagName} id=${value}`);
    }
  }
  return dangers;
}
