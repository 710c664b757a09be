import { describe, expect, it } from '@jest/globals';
import { parseHTML } from 'linkedom';
import { cleanHtml } from './clean-html.js';
import { DRAWING_ELEMENTS } from './drawings.js';

const RUN = 'alert(1)';

/** Elements that execute code, by themselves or by an attribute. */
const PAYLOADS = [
  `<script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<svg onload=${RUN}>`,
  `<iframe srcdoc="<script>${RUN}</script>">`,
  `<iframe src="javascript:${RUN}">`,
  `<a href="javascript:${RUN}">x</a>`,
  `<a href="data:text/html,<script>${RUN}</script>">x</a>`,
  `<a href="data:image/svg+xml,<svg onload=${RUN}>">x</a>`,
  `<img src="data:text/html,<script>${RUN}</script>">`,
  `<img src='data:image/svg+xml,"><script>${RUN}</script>'>`,
  `<img data-src="javascript:${RUN}">`,
  `<img data-src='x" onerror="${RUN}'>`,
  `<p id='x" onclick="${RUN}'>x</p>`,
  `<p id="user-content-x&quot; onclick=&quot;${RUN}">x</p>`,
  `<a href="#x' onclick='${RUN}">x</a><p id="x' onclick='${RUN}">x</p>`,
  `<a href='#"><img src=x onerror=${RUN}>'>x</a>`,
  `<style><img src=x onerror=${RUN}></style>`,
  `<title><img src=x onerror=${RUN}></title>`,
  `<noscript><img src="x" onerror="${RUN}"></noscript>`,
  `<annotation-xml encoding="text/html"><img src=x onerror=${RUN}></annotation-xml>`,
  `<annotation><img src=x onerror=${RUN}></annotation>`,
  `<mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${RUN}&gt;">`,
  `<malignmark><img src=x onerror=${RUN}>`,
  `<maction actiontype="statusline" xlink:href="javascript:${RUN}">x</maction>`,
  `<mi href="javascript:${RUN}" style="behavior:url(x)">x</mi>`,
  `<p title="</math><img src=x onerror=${RUN}>">x</p>`,
  `<mo lspace='"><img src=x onerror=${RUN}>'>x</mo>`,
  `<svg><path d="M0 0" onload="${RUN}"/></svg>`,
  `<svg><path d="M0 0"/><script>${RUN}</script></svg>`,
  `<svg><path d="M0 0"/><script href="data:,${RUN}"/></svg>`,
  `<svg><a href="javascript:${RUN}"><path d="M0 0"/></a></svg>`,
  `<svg><a xlink:href="javascript:${RUN}"><text>x</text></a></svg>`,
  `<svg><path d="M0 0"/><animate attributeName="href" to="javascript:${RUN}"/></svg>`,
  `<svg><path d="M0 0"/><set attributeName="onmouseover" to="${RUN}"/></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' onload='${RUN}'/>#x"/><path d="M0 0"/></svg>`,
  `<svg><image href="https://evil/x.png" onerror="${RUN}"/><path d="M0 0"/></svg>`,
  `<svg><foreignObject><img src=x onerror=${RUN}></foreignObject><path d="M0 0"/></svg>`,
  `<svg><path d="M0 0"/><title><img src=x onerror=${RUN}></title></svg>`,
  `<svg><path d="M0 0"/><desc><img src=x onerror=${RUN}></desc></svg>`,
  `<svg><path d="M0 0"/><style><!--</style><img src=x onerror=${RUN}>--></style></svg>`,
  `<svg><path d='"><img src=x onerror=${RUN}>'/></svg>`,
  `<svg><path d="M0 0" fill="url(https://evil/x.svg#a)"/></svg>`,
  `<svg><path d="M0 0" fill="url(&quot;javascript:${RUN}&quot;)" style="fill:url(//evil/#a)"/></svg>`,
  `<svg><text>&lt;img src=x onerror=${RUN}&gt;<img src=x onerror=${RUN}></text></svg>`,
  `<svg><path d="M0 0"/><p><img src=x onerror=${RUN}></p></svg>`,
  `<svg><![CDATA[><img src=x onerror=${RUN}>]]><path d="M0 0"/></svg>`,
  `<svg><path d="M0 0"/><!--><img src=x onerror=${RUN}>--></svg>`,
  `<svg><text><iframe src="javascript:${RUN}"></iframe></text></svg>`,
];

/** Surrounding markup that changes how a parser reads them. */
const SURROUNDINGS: readonly string[] = [
  '*',
  '<math>*</math>',
  '<math><mtext>*</mtext></math>',
  '<math><mi><table>*</table></mi></math>',
  '<math><semantics><annotation-xml>*</annotation-xml></semantics></math>',
  '<math><mtext><table><mglyph><style>*</style></mglyph></table></mtext></math>',
  '<svg><foreignObject>*</foreignObject></svg>',
  '<svg><style>*</style></svg>',
  '<form><math><mtext></form><form>*</form></mtext></math></form>',
  '<table><tr><td>*</td></tr></table>',
  '<table>*</table>',
  '<noscript>*</noscript>',
  '<template>*</template>',
  '<!-- *',
  '<!-- * -->',
  '<![CDATA[*]]>',
  '<iframe>*</iframe>',
  '<p title="*">x</p>',
  "<p id='*'>x</p>",
  '<math alttext="*"><mi>x</mi></math>',
  '<a name="*">x</a>',
  '<select><option>*</option></select>',
  '<xmp>*</xmp>',
  '<svg><text>*</text></svg>',
  '<svg><g>*</g><path d="M0 0"/></svg>',
  '<svg><path d="*"/></svg>',
  '<svg viewBox="0 0 100 100"><defs>*',
  '<svg><desc>*</desc><path d="M0 0"/></svg>',
];

const WRITINGS: ReadonlyArray<(payload: string) => string> = [
  (payload) => payload,
  (payload) => payload.toUpperCase().replace('ALERT', 'alert'),
  (payload) => payload.replaceAll(' ', '/'),
  (payload) => payload.replaceAll(' ', '\n'),
  (payload) => payload.replace(/>$/, ''),
  (payload) => payload.replace('<', '<<'),
  (payload) => payload.replaceAll('javascript:', 'java&#x0A;script&colon;'),
];

const ALLOWED_ADDRESS = /^(?:https?:|mailto:|ftp:|news:|nntp:|tel:|#user-content-|data:image\/)/i;

/** Attributes in which a browser reads `url()`. */
const PAINTS = /^(?:fill|stroke|filter|mask|cursor|marker.*|clip-path)$/;

/** The first part of a sanitised body that a browser could execute; null if none. */
function dangerIn(html: string): string | null {
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  for (const element of document.querySelectorAll('body *')) {
    const name = element.localName;
    if (
      /^(?:script|style|animate.*|set|use|image|foreignobject|desc|object|embed|form|input|base|link|meta|template|title|annotation.*|mglyph|malignmark)$/.test(
        name,
      )
    ) {
      return name;
    }
    for (const { name: attribute, value } of element.attributes) {
      if (/^(?:on|style$|srcdoc$|xlink|data-|formaction$)/i.test(attribute)) {
        return `${name} ${attribute}`;
      }
      if (/^(?:href|src|poster|cite)$/.test(attribute) && !ALLOWED_ADDRESS.test(value)) {
        return `${name} ${attribute}=${value}`;
      }
      if (/url\((?!#user-content-)/i.test(value) && PAINTS.test(attribute)) {
        return `${name} ${attribute}=${value}`;
      }
      if (attribute === 'id' && !value.startsWith('user-content-')) {
        return `${name} ${attribute}=${value}`;
      }
      if (/^data:image\/svg/i.test(value) && !(name === 'img' && attribute === 'src')) {
        return `${name} ${attribute} holds a drawing`;
      }
    }
  }
  return null;
}

/** Elements of a drawing that are not one of its own. */
function foreignIn(html: string): string | null {
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  // The parser here keeps names as they are written, browsers correct their case.
  const foreign = [...document.querySelectorAll('svg *')].find(
    ({ localName }) => !DRAWING_ELEMENTS.includes(localName),
  );
  return foreign === undefined ? null : `${foreign.localName} in a drawing`;
}

describe('sanitised bodies execute nothing', () => {
  it.each(SURROUNDINGS)('inside %s', (surrounding) => {
    const dangers: string[] = [];

    for (const payload of PAYLOADS) {
      for (const write of WRITINGS) {
        const html = surrounding.replace('*', () => write(payload));
        const clean = cleanHtml(html, 'https://example.org/post/');
        const danger =
          dangerIn(clean) ??
          foreignIn(clean) ??
          dangerIn(cleanHtml(clean, 'https://example.org/post/'));
        if (danger !== null) {
          dangers.push(`${html} → ${clean}: ${danger}`);
        }
      }
    }

    expect(dangers.slice(0, 3)).toEqual([]);
  });

  it('and the detector finds executable markup', () => {
    expect(PAYLOADS.filter((payload) => dangerIn(payload) !== null).length).toBeGreaterThan(15);
  });
});
