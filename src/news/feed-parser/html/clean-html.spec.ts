import { describe, expect, it } from '@jest/globals';
import { cleanHtml } from './clean-html.js';

const BASE = 'https://example.org/post/';
const clean = (html: string): string => cleanHtml(html, BASE);

describe('unsafe markup', () => {
  it.each([
    '<script>alert(1)</script>safe',
    '<SCRIPT SRC=http://evil/x.js></SCRIPT>safe',
    '<script/src=x></script/>safe',
    '<<script>alert(1)</script>safe',
    '<scr<script>ipt>alert(1)</scr</script>ipt>safe',
    '<style>p{background:url(javascript:x)}</style>safe',
    '<img src=x onerror=alert(1)>safe',
    '<img/onerror=alert(1)/src=x>safe',
    '<img src="x" ONLOAD="alert(1)">safe',
    '<a href="javascript:alert(1)">safe</a>',
    '<a href=" &#14; javascript:alert(1)">safe</a>',
    '<a href="java&#x0A;script:alert(1)">safe</a>',
    '<a href="JaVaScRiPt:alert(1)">safe</a>',
    '<a href="&#106;avascript&colon;alert(1)">safe</a>',
    '<a href="vbscript:x">safe</a>',
    '<a href="data:text/html,<script>alert(1)</script>">safe</a>',
    '<img src="javascript:alert(1)">safe',
    '<video poster="data:image/svg+xml;base64,PHN2Zz4=">safe</video>',
    '<img srcset="data:image/svg+xml;base64,PHN2Zz4= 1x">safe',
    '<a href="data:image/svg+xml;base64,PHN2Zz4=">safe</a>',
    '<img src="data:text/html;base64,PHN2Zz4=">safe',
    '<img srcset="javascript:alert(1) 1x">safe',
    '<video poster="javascript:alert(1)" src="x">safe</video>',
    '<p style="background:url(javascript:x)">safe</p>',
    '<p class="x" data-x="z">safe</p>',
    '<object data="evil.swf"><embed src="evil.swf"></object>safe',
    '<applet code="x"></applet>safe',
    '<form action="http://evil/"><input name="password"><button>x</button></form>safe',
    '<meta http-equiv="refresh" content="0;url=http://evil/">safe',
    '<base href="http://evil/">safe',
    '<link rel="stylesheet" href="http://evil/x.css">safe',
    '<svg onload="alert(1)"><script>alert(1)</script></svg>safe',
    '<svg><style><img src=x onerror=alert(1)></style></svg>safe',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></mtext></math>safe',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>safe',
    '<textarea><img src=x onerror=alert(1)></textarea>safe',
    '<xmp><img src=x onerror=alert(1)></xmp>safe',
    '<!--[if IE]><script>alert(1)</script><![endif]-->safe',
    '<!--><img src=x onerror=alert(1)>-->safe',
    '<?php echo "<script>" ?>safe',
    '<iframe src="http://evil/"></iframe>safe',
    '<iframe src="https://evil/embed/x"></iframe>safe',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>safe',
    '<iframe src="https://www.youtube.com.evil/embed/x"></iframe>safe',
    '<iframe src="https://www.youtube.com/redirect?q=x"></iframe>safe',
    '<iframe src="https://user@evil/www.youtube.com/embed/"></iframe>safe',
    '<iframe src="javascript:alert(1)//www.youtube.com/embed/"></iframe>safe',
    '<iframe src="http://www.youtube.com/embed/x"></iframe>safe',
    '<iframe src="http://evil/">safe<script>alert(1)</script></iframe>',
    '<iframe><iframe onload=alert(1)></iframe></iframe>safe',
    'safe<scr<iframe>ipt>alert(1)</scr</iframe>ipt>',
    'safe<<iframe>script>alert(1)</script>',
    '<a href="https://a.org" target="_self" rel="opener">safe</a>',
    '<a href="https://a.org" onclick="x">safe</a>',
    '<a href="https://a.org" ping="http://evil">safe</a>',
    '<p title="&quot; onmouseover=&quot;alert(1)">safe</p>',
    '<img src="x` `<script>alert(1)</script>"` `>safe',
    '<marquee onstart=alert(1)>safe</marquee>',
    '<details ontoggle=alert(1) open>safe</details>',
    '<template><script>alert(1)</script></template>safe',
    '<dialog open>safe</dialog>',
    '<pre class="x">safe</pre>',
    '<code class="language-x&quot; onclick=&quot;alert(1)">safe</code>',
    '<input type="checkbox" disabled onclick="alert(1)">safe',
    '<a href="gopher:javascript:alert(1)" class="x" style="direction:rtl">safe</a>',
    '<video src="x"><track src="data:text/vtt,x"><track src="javascript:alert(1)"></video>safe',
  ])('%s', (html) => {
    const safe = clean(html);
    const tags = safe.match(/<[a-z][^>]*>/gi) ?? [];

    expect(safe).toContain('safe');
    expect(safe).not.toMatch(
      /<(?:script|style|object|embed|applet|form|input|button|meta|base|link|svg|iframe|textarea|xmp|template|dialog|marquee|noscript)/i,
    );
    for (const tag of tags) {
      const names = [...tag.replace(/"[^"]*"/g, '""').matchAll(/\s([a-z-]+)/gi)].map(
        ([, name]) => name,
      );
      expect(
        names.filter((name) => /^on|^style$|^class$|^id$|^data-|^ping$|^srcdoc$/.test(name ?? '')),
      ).toEqual([]);
      expect(tag).not.toMatch(
        /(?:href|src|poster|srcset|cite)="(?!https?:|mailto:|data:image\/png)/,
      );
    }
  });

  it('script and style are removed with their content', () => {
    expect(clean('a<script>b</script><style>c</style><title>d</title>e')).toBe('ae');
  });
});

describe('safe markup', () => {
  it.each([
    ['<p>Text with <b>bold</b>, <em>em</em> and <code>code</code></p>'],
    ['<ul><li>one</li><li>two</li></ul>'],
    [
      '<table><thead><tr><th colspan="2">h</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
    ],
    ['<blockquote cite="https://a.org/q"><p>quote</p></blockquote>'],
    ['<pre><code>a &lt; b\n  c</code></pre>'],
    ['<h1>one</h1><h6>six</h6>'],
    [
      '<figure><img src="https://a.org/i.png" alt="x" width="10" height="20" /><figcaption>c</figcaption></figure>',
    ],
    [
      '<picture><source srcset="https://a.org/2.webp 2x" type="image/webp" /><img src="https://a.org/1.png" /></picture>',
    ],
    ['<img src="data:image/png;base64,iVBORw0KGgo=" />'],
    ['<p dir="rtl" lang="ar">مرحبا</p>'],
    ['<ruby>漢<rt>かん</rt></ruby>'],
    ['<p>emoji 👩‍👩‍👧 &amp; co</p>'],
    ['<abbr title="x &amp; y">a</abbr>'],
    ['<details open><summary>s</summary>d</details>'],
    [
      '<iframe src="https://www.youtube.com/embed/abc" width="560" height="315" allowfullscreen></iframe>',
    ],
    ['<iframe src="https://www.youtube-nocookie.com/embed/abc"></iframe>'],
    [
      '<video src="https://a.org/v.mp4" controls><track src="https://a.org/v.vtt" kind="captions" srclang="en-GB" label="English" default /></video>',
    ],
    ['<pre><code class="language-c++">a</code></pre>'],
    ['<pre class="language-ts">a</pre>'],
    ['<iframe src="https://player.vimeo.com/video/1"></iframe>'],
    ['<iframe src="https://vk.com/video_ext.php?oid=1&amp;id=2"></iframe>'],
  ])('%s', (html) => expect(clean(html)).toBe(html));

  it.each([
    ['http://a.org/'],
    ['https://a.org/?a=1&amp;b=2#c'],
    ['mailto:a@b.org'],
    ['ftp://a.org/x'],
    ['news:comp.lang'],
    ['nntp://a.org/x'],
    ['tel:+4930123'],
    ['magnet:?xt=urn:btih:aa&amp;dn=x'],
    ['xmpp:room@chat.example?join'],
    ['gemini://a.org/'],
  ])('a link to %s, opened without referrer', (href) => {
    expect(clean(`<a href="${href}">x</a>`)).toBe(
      `<a href="${href}" rel="noreferrer noopener" target="_blank">x</a>`,
    );
  });
});

describe('addresses in a body', () => {
  it.each([
    ['<img src="i.png">', '<img src="https://example.org/post/i.png" />'],
    ['<img src="../i.png">', '<img src="https://example.org/i.png" />'],
    ['<img src="//a.org/i.png">', '<img src="https://a.org/i.png" />'],
    ['<img src=" /i.png ">', '<img src="https://example.org/i.png" />'],
    [
      '<img srcset="a.png, b.png 2x" src="c.png">',
      '<img src="https://example.org/post/c.png" srcset="https://example.org/post/a.png, https://example.org/post/b.png 2x" />',
    ],
    [
      '<img srcset="a,b.png 1x,javascript:x 2x,c.png 3x">',
      '<img srcset="https://example.org/post/a%2Cb.png 1x, https://example.org/post/c.png 3x" />',
    ],
    ['<q cite="c">x</q>', '<q cite="https://example.org/post/c">x</q>'],
    [
      '<audio src="a.mp3"></audio>',
      '<audio src="https://example.org/post/a.mp3" controls></audio>',
    ],
    [
      '<video><source src="v.mp4" type="video/mp4"></video>',
      '<video controls><source src="https://example.org/post/v.mp4" type="video/mp4" /></video>',
    ],
    [
      '<video poster="p.png" src="v.mp4"></video>',
      '<video src="https://example.org/post/v.mp4" poster="https://example.org/post/p.png" controls></video>',
    ],
    [
      '<iframe src="//www.youtube.com/embed/abc"></iframe>',
      '<iframe src="https://www.youtube.com/embed/abc"></iframe>',
    ],
    ['<img alt="no source">', ''],
  ])('%s', (html, expected) => expect(clean(html)).toBe(expected));

  it('a fragment links to the page', () => {
    expect(clean('<a href="#note">1</a>')).toContain('href="https://example.org/post/#note"');
  });
});

describe('embedded frames', () => {
  const link = (href: string, host: string): string =>
    `<a href="${href}" rel="noreferrer noopener" target="_blank">${host}</a>`;

  it.each([
    'https://open.spotify.com/embed/track/1',
    'https://w.soundcloud.com/player/?url=x',
    'https://www.dailymotion.com/embed/video/x1',
  ])('the player %s is kept', (src) => {
    expect(clean(`<iframe src="${src}"></iframe>`)).toBe(`<iframe src="${src}"></iframe>`);
  });

  it.each([
    ['https://peertube.example/videos/embed/1', 'peertube.example'],
    ['https://player.twitch.tv/?video=1&amp;parent=x', 'player.twitch.tv'],
    ['https://platform.twitter.com/embed/Tweet.html?id=1', 'platform.twitter.com'],
    ['http://www.dailymotion.com/embed/video/x1', 'www.dailymotion.com'],
  ])('the frame %s becomes a link', (src, host) => {
    expect(clean(`a<iframe src="${src}" width="560"></iframe>b`)).toBe(`a${link(src, host)}b`);
  });

  it('the title of a frame is the text of its link', () => {
    expect(clean('<iframe src="https://v.example/1" title="A &lt;film&gt; &amp;c"></iframe>')).toBe(
      link('https://v.example/1', 'A &lt;film&gt; &amp;c'),
    );
  });

  it('a lazily loaded player is kept', () => {
    expect(
      clean('<iframe src="about:blank" data-src="https://www.youtube.com/embed/a"></iframe>'),
    ).toBe('<iframe src="https://www.youtube.com/embed/a"></iframe>');
  });

  it('a lazily loaded frame becomes a link, too', () => {
    expect(clean('<iframe src="about:blank" data-src="//v.example/1"></iframe>')).toBe(
      link('https://v.example/1', 'v.example'),
    );
  });

  it.each([
    [
      'with a link of its own inside',
      '<iframe src="https://v.example/1"><a href="https://v.example/1">v</a></iframe>',
      link('https://v.example/1', 'v'),
    ],
    ['that counts visitors', '<iframe src="https://t.example/" width="1" height="1"></iframe>', ''],
    ['that is hidden', '<iframe src="https://t.example/" style="display: none"></iframe>', ''],
    ['without an address', '<iframe srcdoc="<b>x</b>"></iframe>', ''],
    ['of no web page', '<iframe src="javascript:alert(1)"></iframe>', ''],
  ])('one %s gets none', (_what, html, expected) => {
    expect(clean(html)).toBe(expected);
  });
});

describe('task lists', () => {
  it('keep their marks', () => {
    const task = (mark: string) =>
      `<li class="task-list-item"><input type="checkbox" class="x" disabled${mark}> <b>a</b> b</li>`;

    expect(clean(`<ul>${task(' checked=""')}${task('')}</ul><p>c</p>`)).toBe(
      '<ul><li><span>☑</span> <b>a</b> b</li><li><span>☐</span> <b>a</b> b</li></ul><p>c</p>',
    );
  });

  it('are no forms', () => {
    expect(clean('<form><input type="checkbox" checked>a<input disabled>b</form>')).toBe('ab');
  });
});

describe('embedded gists', () => {
  const link = (path: string) =>
    `<a href="https://gist.github.com/${path}" rel="noreferrer noopener" target="_blank">gist.github.com/${path}</a>`;

  it('become links', () => {
    expect(clean('<p>a</p><script src="https://gist.github.com/ada/0123abcd.js"></script>b')).toBe(
      `<p>a</p>${link('ada/0123abcd')}b`,
    );
    expect(clean("<script async src='//gist.github.com/0123abcd.js?file=a.ts'></script>")).toBe(
      link('0123abcd'),
    );
  });

  it('that have a link are left out, as are other scripts', () => {
    expect(
      clean(
        `<script src="https://gist.github.com/ada/0123abcd.js"></script><noscript>${link('ada/0123abcd')}</noscript>` +
          '<script src="https://gist.github.com.evil/ada/0123abcd.js"></script>' +
          '<script src="https://gist.github.com/ada/0123abcd.json"></script>',
      ),
    ).toBe(link('ada/0123abcd'));
  });
});

describe('anchors within an article', () => {
  it('get a prefix, as do links to them', () => {
    expect(
      clean('<p>a<a href="#fn1" id="ref1">1</a></p><p id="fn1">note <a href="#ref1">back</a></p>'),
    ).toBe(
      '<p>a<a href="#user-content-fn1" id="user-content-ref1">1</a></p>' +
        '<p id="user-content-fn1">note <a href="#user-content-ref1">back</a></p>',
    );
  });

  it.each([
    [
      'the address of the page itself',
      '<a href="https://example.org/post/#n">1</a><p id="n">x</p>',
      '#user-content-n',
    ],
    ['the older way to name a place', '<a href="#n">1</a><a name="n">x</a>', '#user-content-n'],
    [
      'a name of other letters',
      '<a href="#fu%C3%9Fnote">1</a><p id="fußnote">x</p>',
      '#user-content-fu%C3%9Fnote',
    ],
  ])('%s links to the anchor', (_what, html, href) => {
    expect(clean(html)).toContain(`<a href="${href}">1</a>`);
  });

  it.each([
    [
      'a place that is not in the article',
      '<a href="#n">1</a><p id="m">x</p>',
      'https://example.org/post/#n',
    ],
    [
      'a place on another page',
      '<a href="/other#n">1</a><p id="n">x</p>',
      'https://example.org/other#n',
    ],
  ])('%s links to the page', (_what, html, href) => {
    expect(clean(html)).toContain(`<a href="${href}"`);
  });

  it.each(['getElementById', 'app', 'x y', ''])(
    'the name %j does not collide with the page',
    (name) => {
      const ids = [...clean(`<p id="${name}">x</p><a href="#">y</a>`).matchAll(/\sid="([^"]*)"/g)];

      expect(ids.filter(([, id]) => !id?.startsWith('user-content-'))).toEqual([]);
    },
  );

  it('are unchanged by a second pass', () => {
    const once = clean(
      '<a href="#n ö">1</a><p id="n">x</p><a href="#n">2</a><p id="ö">x</p><a href="#ö">3</a>',
    );

    expect(clean(once)).toBe(once);
  });
});

describe('formulas', () => {
  it.each([
    '<math display="block"><mfrac><mn>1</mn><mn>2</mn></mfrac></math>',
    '<math><msup><mi mathvariant="normal">x</mi><mn>2</mn></msup><mo stretchy="false">(</mo></math>',
    '<math><mtable columnalign="left right"><mtr><mtd>1</mtd></mtr></mtable></math>',
    '<math><mspace width="0.5em"></mspace><mtext>if </mtext></math>',
  ])('%s', (html) => expect(clean(html)).toBe(html));

  it('keep colours and sizes', () => {
    const html = '<math><mi mathcolor="#a00" mathsize="120%">x</mi></math>';

    expect(clean(html)).toBe(html);
  });

  it('lose annotations in other notations', () => {
    expect(
      clean(
        '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">\\x</annotation><annotation-xml><b>x</b></annotation-xml></semantics></math>',
      ),
    ).toBe('<math><semantics><mi>x</mi></semantics></math>');
  });

  it.each([
    '<math href="javascript:alert(1)">x</math>',
    '<math><maction actiontype="statusline#http://evil" xlink:href="javascript:alert(1)">x</maction></math>',
    '<math><mi style="background:url(javascript:x)" onclick="alert(1)" class="x">x</mi></math>',
    '<math><mo lspace="url(javascript:x)" dir="javascript:">x</mo></math>',
  ])('%s keeps only the formula', (html) => {
    expect(clean(html)).toMatch(/^<math>(?:<m\w+>)?x(?:<\/m\w+>)?<\/math>$/);
  });
});

describe('formulas of KaTeX', () => {
  const math = '<math><semantics><mi>x</mi></semantics></math>';
  const copy =
    '<span class="katex-html" aria-hidden="true"><span class="base"><span class="strut" style="height:1em"></span><span class="mord">x</span></span></span>';
  const formula = `<span class="katex"><span class="katex-mathml">${math}</span>${copy}</span>`;

  it('are shown once', () => {
    const shown = `<span><span>${math}</span></span>`;

    expect(clean(`<p>a ${formula} b ${formula}</p>`)).toBe(`<p>a ${shown} b ${shown}</p>`);
  });

  it('do not close what follows', () => {
    const left = '<img src="https://a.org/c.gif" width="1">';

    expect(clean(`<p>${formula}<br>${left}<br>a</p><p>${copy}<b>b</b>${left}<b>c</b></p>`)).toBe(
      `<p><span><span>${math}</span></span><br /><br />a</p><p><b>b</b><b>c</b></p>`,
    );
    expect(clean(`<p>${formula.replace(/(?:<\/span>)+$/, '')}</p><b>d</b>`)).toBe(
      `<p><span><span>${math}</span></span></p><b>d</b>`,
    );
  });

  it('without MathML are kept as they are', () => {
    expect(clean(`<span class="katex">${copy}</span>`)).toContain('<span>x</span>');
    expect(clean(formula.replace(math, 'x = 1'))).toContain('<span>x</span>');
  });
});

describe('lazily loaded pictures', () => {
  it.each([
    ['<img data-src="a.png">', '<img src="https://example.org/post/a.png" />'],
    [
      '<img src="data:image/gif;base64,R0lGOD" data-lazy-src="a.png">',
      '<img src="https://example.org/post/a.png" />',
    ],
    [
      '<img src="/img/spacer.gif" data-original="a.png" alt="x">',
      '<img src="https://example.org/post/a.png" alt="x" />',
    ],
    ['<img src="b.png" data-src="a.png">', '<img src="https://example.org/post/b.png" />'],
    ['<img data-src="javascript:alert(1)">', ''],
    [
      '<img data-srcset="a.png 1x, b.png 2x">',
      '<img srcset="https://example.org/post/a.png 1x, https://example.org/post/b.png 2x" />',
    ],
    [
      '<picture><source data-srcset="a.webp"><img data-src="a.png"></picture>',
      '<picture><source srcset="https://example.org/post/a.webp" /><img src="https://example.org/post/a.png" /></picture>',
    ],
    [
      '<img data-src="a.png?x=1&amp;y=2"><noscript><img src="a.png?x=1&amp;y=2"></noscript>',
      '<img src="https://example.org/post/a.png?x=1&amp;y=2" />',
    ],
    [
      '<img class="lazy" src="x/lazyload.gif" data-src="a.png"><noscript><p>b</p></noscript>',
      '<img src="https://example.org/post/a.png" /><p>b</p>',
    ],
  ])('%s', (html, expected) => expect(clean(html)).toBe(expected));
});

describe('trackers', () => {
  it.each([
    '<img src="https://a.org/count.gif" width="1" height="1">',
    '<img src="https://a.org/count.gif" height="0">',
    '<img src="https://a.org/count.gif" width="1px">',
    '<img src="https://a.org/count.gif" style="border:0; width: 1px !important">',
    '<img src="http://feeds.feedburner.com/~r/blog/~4/abc">',
    '<img src="https://ad.doubleclick.net/x?y=1" width="300" height="250">',
    '<img data-src="https://match.adsrvr.org/track">',
    '<img src="https://tags.bluekai.com/site/1">',
    '<img src="http://a.pheedo.com/hostedMorselClick.php?u=1">',
    '<img src="https://cpx.golem.de/cpx.php?class=17">',
    '<img src="https://medium.com/_/stat?event=post.clientViewed">',
    '<img src="https://www.facebook.com/tr?id=1&amp;ev=PageView">',
  ])('%s is dropped', (html) => expect(clean(`<p>safe</p>${html}`)).toBe('<p>safe</p>'));

  it.each([
    '<img src="https://a.org/10.gif" width="10" height="10" />',
    '<img src="https://doubleclick.net.example.org/x.png" />',
    '<img src="https://notbluekai.com/x.png" />',
    '<img src="https://medium.com/photo.png" />',
  ])('%s is kept', (html) => expect(clean(html)).toBe(html));

  it('icons to share the article vanish, words with such a link stay', () => {
    const words = '<a href="https://twitter.com/intent/tweet?text=x">tweet this</a>';

    expect(
      clean(
        'a<a href="https://www.facebook.com/sharer.php?u=x"><img src="https://a.org/f.png"></a>' +
          '<a href="http://feeds.wordpress.com/1.0/gofacebook/a/1/"><img src="http://feeds.wordpress.com/1.0/facebook/a/1/"></a>b',
      ),
    ).toBe('ab');
    expect(clean(words)).toContain('tweet this</a>');
  });

  it('many of them take no longer than other links', () => {
    const html = '<a href="https://x.com/share?a=b"><img src="https://a.org/i.png"></a>';

    expect(clean(html.repeat(150)).match(/<a /g)).toHaveLength(50);
  });
});

describe('inline pictures', () => {
  it.each([
    'data:image/png;base64,iVBORw0KGgo=',
    'data:image/webp;base64,UklGRg==',
    'data:image/svg+xml;base64,PHN2Zz4=',
    "data:image/svg+xml;charset=utf8,%3Csvg%20xmlns='http://www.w3.org/2000/svg'/%3E",
  ])('%s is kept', (src) => expect(clean(`<img src="${src}">`)).toBe(`<img src="${src}" />`));

  it('a large drawing is left out, a large photograph is kept', () => {
    const large = 'A'.repeat(40_000);

    expect(clean(`<img src="data:image/svg+xml;base64,${large}">`)).not.toContain('A');
    expect(clean(`<img src="data:image/png;base64,${large}">`)).toContain(large);
  });
});

describe('media at the address of this service', () => {
  const OWN = 'https://reader.example';
  const guarded = (html: string): string => cleanHtml(html, BASE, OWN);

  it.each([
    '<img src="https://reader.example/logout">',
    '<img src="HTTPS://READER.example:443/x">',
    '<img src="//reader.example/x">',
    '<img data-src="https://reader.example/x">',
    '<img srcset="https://reader.example/x 1x">',
    '<picture><source srcset="https://reader.example/x"></picture>',
    '<video poster="https://reader.example/x"></video>',
    '<audio src="https://reader.example/x"></audio>',
    '<video><source src="https://reader.example/x"></video>',
    '<video><track src="https://reader.example/x"></video>',
  ])('%s is not loaded', (html) => expect(guarded(html)).not.toContain('reader.example'));

  it.each(['localhost', '127.0.0.1', '127.1', '[::1]', 'LOCALHOST'])(
    'by the name %s of this machine is not loaded either',
    (name) => {
      const html = (port: number) => `<img src="http://${name}:${port}/logout">`;

      expect(cleanHtml(html(8080), BASE, 'http://localhost:8080')).toBe('');
      expect(cleanHtml(html(8080), BASE, 'http://127.0.0.1:8080')).toBe('');
      expect(cleanHtml(html(9090), BASE, 'http://localhost:8080')).toContain('9090');
    },
  );

  it('links, and pictures from other servers, are kept', () => {
    const html =
      '<img src="https://reader.example.org/x" /><img src="https://reader.example:8443/x" />' +
      '<a href="https://reader.example/x" rel="noreferrer noopener" target="_blank">x</a>';

    expect(guarded(html)).toBe(html);
  });
});

describe('broken markup', () => {
  it.each([
    ['<p>one<p>two', '<p>one</p><p>two</p>'],
    ['<b>one', '<b>one</b>'],
    ['one</b>', 'one'],
    ['<div/>after', '<div></div>after'],
    [
      '<iframe src="https://player.vimeo.com/video/1"/>after',
      '<iframe src="https://player.vimeo.com/video/1"></iframe>after',
    ],
    [
      '<iframe src="https://evil/"><b>fallback</b></iframe>after',
      '<a href="https://evil/" rel="noreferrer noopener" target="_blank">evil</a><b>fallback</b>after',
    ],
    [
      'before<iframe src="https://evil/"> <b>never closed</b>',
      'before<a href="https://evil/" rel="noreferrer noopener" target="_blank">evil</a> <b>never closed</b>',
    ],
    [
      '<iframe src="https://player.vimeo.com/video/1"><script>x</script></iframe>after',
      '<iframe src="https://player.vimeo.com/video/1"></iframe>after',
    ],
    [
      '<iframe src="https://player.vimeo.com/video/1"><p>old browsers</p></iframe>after',
      '<iframe src="https://player.vimeo.com/video/1"></iframe>after',
    ],
    [
      '<iframe src="https://player.vimeo.com/video/1">never <i>closed</i>',
      '<iframe src="https://player.vimeo.com/video/1"></iframe>never <i>closed</i>',
    ],
    [
      '<iframe src="https://evil/"><iframe src="https://player.vimeo.com/video/1"></iframe>b</iframe>c',
      '<a href="https://evil/" rel="noreferrer noopener" target="_blank">evil</a><iframe src="https://player.vimeo.com/video/1"></iframe>bc',
    ],
    [
      '<code class="x language-rust y" id=a>b</code>',
      '<code class="language-rust" id="user-content-a">b</code>',
    ],
    ['<code class="rust language-">b</code><p class="language-x">c</p>', '<code>b</code><p>c</p>'],
    ['<p style="color: red; DIRECTION : rtl">a</p>', '<p dir="rtl">a</p>'],
    [
      '<p dir="ltr" style="direction:rtl">a</p><p style="direction:ltr">b</p>',
      '<p dir="ltr">a</p><p>b</p>',
    ],
    [
      '<video><track><track src="t.vtt" title="x" label="<">',
      '<video controls><track src="https://example.org/post/t.vtt" label="&lt;" title="x" /></video>',
    ],
    ['a < b', 'a &lt; b'],
    ['a & b', 'a &amp; b'],
    ['<a href="x', ''],
    ['<foo>bar</foo>', 'bar'],
    ['<constructor>bar</constructor>', 'bar'],
    ['&lt;script&gt;', '&lt;script&gt;'],
  ])('%s', (html, expected) => expect(clean(html)).toBe(expected));

  it('is unchanged by a second pass', () => {
    const once = clean(
      '<p>a &amp; b &lt;c&gt; <a href="x?a=1&b=2">x</a><img src=i srcset="a 2x, b,c 3x">',
    );

    expect(clean(once)).toBe(once);
  });

  it('keeps the text but not the tags of deeply nested elements', () => {
    const safe = clean(`${'<b>'.repeat(5_000)}deep${'</b>'.repeat(5_000)}<p>after</p>`);

    expect(safe).toMatch(/^(?:<b>){100}deep(?:<\/b>){100}<p>after<\/p>$/);
  });

  it('unclosed paragraphs do not count as nested', () => {
    const safe = clean('<p>x'.repeat(500));

    expect(safe.match(/<p>x<\/p>/g)).toHaveLength(500);
  });
});

describe('a body with more than it may hold', () => {
  const picture = (bytes: number, attributes = ''): string =>
    `<img src="data:image/jpeg;base64,${Buffer.alloc(bytes, 7).toString('base64')}"${attributes}>`;
  const textsOf = (html: string): string[] => html.match(/TEXT \d/g) ?? [];

  it('keeps all of its text, and as many of its pictures as have room beside it', () => {
    const html = [1, 2, 3, 4, 5].map((i) => `<p>TEXT ${i}</p>${picture(300_000)}`).join('');

    const cleaned = clean(`${html}<p>TEXT 6</p>`);

    expect(textsOf(cleaned)).toHaveLength(6);
    expect(cleaned.match(/<img/g)).toHaveLength(2);
    expect(cleaned.match(/\[🖼 391 KiB\]/g)).toHaveLength(3);
  });

  it('shows the text of a picture in its place', () => {
    const cleaned = clean(`TEXT 1 ${picture(1_500_000, ' alt="A &lt;b&gt; photo"')} TEXT 2`);

    expect(cleaned).toBe('TEXT 1  [🖼 A &lt;b&gt; photo, 1954 KiB]  TEXT 2');
  });

  it.each([
    ['a script', `<script>${'var a;'.repeat(300_000)}</script>`],
    ['a comment', `<!-- ${'word '.repeat(300_000)} -->`],
    ['an attribute', `<p data-state="${'x'.repeat(1_500_000)}"></p>`],
    ['a candidate', `<img srcset="data:image/png;base64,${'x'.repeat(1_500_000)} 2x">`],
    ['a frame', `<iframe srcdoc="${'x'.repeat(1_500_000)}"></iframe>`],
    ['a large drawing', `<svg>${'<path d="M0 0L1 1"/>'.repeat(80_000)}</svg>`],
    ['a cover', `<video poster="data:image/png;base64,${'x'.repeat(1_500_000)}" src="a"></video>`],
  ])('keeps the text behind %s', (_what, between) => {
    const cleaned = clean(`<p>TEXT 1</p>${between}<p>TEXT 2</p>`);

    expect(textsOf(cleaned)).toEqual(['TEXT 1', 'TEXT 2']);
    expect(cleaned.length).toBeLessThan(500);
  });

  it('says where a drawing was left out', () => {
    const inline = `<svg>${'<path d="M0 0L1 1"/>'.repeat(8_000)}</svg>`;
    const linked = `<img src="data:image/svg+xml;base64,${'x'.repeat(40_000)}" alt="Map">`;

    expect(clean(inline)).toMatch(/^\[🖼 \d+ KiB\]$/);
    expect(clean(linked)).toBe('<span> [🖼 Map, 40 KiB] </span>');
  });

  it('says where its text was cut', () => {
    expect(clean(`<p>${'word '.repeat(300_000)}</p>`)).toMatch(/\[\.\.\.\]<\/p>$/);
  });

  it('keeps candidates of a picture that has too many', () => {
    const candidates = Array.from(
      { length: 300 },
      (_, i) => `https://e.org/${i}/${'x'.repeat(40)} ${i + 1}w`,
    );

    expect(clean(`<img srcset="${candidates.join(', ')}">`)).toContain('https://e.org/31/');
  });
});
