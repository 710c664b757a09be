import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { readPage } from './extract-article.js';

const PARAGRAPH = `<p>${'A sentence of the article, with a comma or two, that goes on. '.repeat(5)}</p>`;
const ARTICLE = `<article>${PARAGRAPH.repeat(4)}</article>`;
const MENU = `<nav>${'<a href="/x">menu entry</a>'.repeat(20)}</nav>`;

const read = (html: string | Buffer) =>
  readPage({
    bytes: Buffer.from(html),
    contentType: 'text/html',
    url: 'https://publisher.example/posts/1',
  });

function extract(html: string | Buffer) {
  const { article, problem } = read(html);
  if (article === null) {
    throw new Error(problem ?? 'There is no article.');
  }
  return article;
}

describe('the article of a page', () => {
  it('excludes menus, notices and footers', () => {
    const { html, characters } = extract(
      `<!doctype html><html><body>${MENU}<div id="cookie-notice">Cookies!</div>${ARTICLE}
       <footer class="footer">${MENU}</footer></body></html>`,
    );

    expect(html).toContain('A sentence of the article');
    expect(html).not.toMatch(/menu entry|Cookies/);
    expect(characters).toBeGreaterThan(1000);
  });

  it('is sanitised, with absolute addresses', () => {
    const { html } = extract(
      `<html><head><base href="/blog/"></head><body><article>${PARAGRAPH.repeat(3)}
       <p onclick="steal()">With a <a href="more">link, that leads on</a>,
       <a href="javascript:steal()">a trap</a>, and <img src="/pic.png" onerror="steal()">,
       <img data-src="late.png"> <script>steal()</script></p></article></body></html>`,
    );

    expect(html).toContain('href="https://publisher.example/blog/more"');
    expect(html).toContain('src="https://publisher.example/pic.png"');
    expect(html).toContain('src="https://publisher.example/blog/late.png"');
    expect(html).not.toMatch(/steal|onclick|onerror|javascript:|<script/);
  });

  it.each([
    ['no html element', `<!doctype html><title>t</title>${ARTICLE}`],
    ['no body element', `<!doctype html><html><head><title>t</title></head>${ARTICLE}</html>`],
    ['no head element', `<html><title>t</title>${ARTICLE}</html>`],
    ['no document at all', ARTICLE],
    ['a declaration of XML', `<?xml version="1.0"?><html><body>${ARTICLE}</body></html>`],
  ])('is found on a page with %s', (_name, html) => {
    expect(extract(html).html).toContain('A sentence of the article');
  });

  it('is read in the declared charset of the page', () => {
    const text = `<p>${'Война и мир, роман в четырёх томах, и так далее без конца. '.repeat(8)}</p>`;
    const html = `<html><head><meta charset="windows-1251"></head><body><article>${text}</article></body></html>`;

    expect(extract(iconv.encode(html, 'windows-1251')).html).toContain('Война и мир');
  });

  it('keeps the formulas of MathJax, once, and links to gists', () => {
    const formula = (inside: string) =>
      `<p>Before <mjx-container class="MathJax CtxtMenu_Attached_0" jax="CHTML" tabindex="0" ctxtmenu_counter="0">${inside}</mjx-container> after, in a sentence.</p>`;
    const { html } = extract(
      `<html><body><article>${PARAGRAPH.repeat(3)}
       ${formula('<mjx-math aria-hidden="true"><mjx-c>x</mjx-c></mjx-math><mjx-assistive-mml><math><mi>x</mi></math></mjx-assistive-mml>')}
       ${formula('<mjx-math>drawn</mjx-math>')}
       <script src="https://gist.github.com/ada/0123abcd.js"></script>${PARAGRAPH}</article></body></html>`,
    );

    expect(html).toContain('Before <math><mi>x</mi></math> after');
    expect(html).toContain('Before drawn after');
    expect(html).toContain('href="https://gist.github.com/ada/0123abcd"');
  });

  it('is not affected by tags inside scripts', () => {
    const { html } = extract(
      `<html><head><script>var a = "<div><div></body>";</script><style>b > a {}</style></head>
       <body>${ARTICLE}</body></html>`,
    );

    expect(html).toContain('A sentence of the article');
  });
});

describe('a page without an article', () => {
  it.each([
    ['empty', ''],
    ['a menu', `<html><body>${MENU}</body></html>`],
    ['one sentence', '<html><body><p>Please accept our cookies, all of them.</p></body></html>'],
    ['no markup', 'plain'],
    ['only a beginning', '<html'],
    ['endlessly nested', '<div>'.repeat(50_000)],
    ['endless scripts', '<script>'.repeat(50_000)],
    ['only beginnings of tags', '<'.repeat(2_000_000)],
    ['only references', `<body><p>${'&amp;'.repeat(400_000)}`],
  ])('is refused: %s', (_name, html) => {
    expect(read(html)).toMatchObject({ article: null, problem: expect.any(String) });
  });
});

describe('what a page says about itself', () => {
  const about = (head: string) =>
    read(`<html><head>${head}</head><body>${ARTICLE}</body></html>`).about;

  it.each([
    ['<title>The tide is low at six today | Site</title>', 'The tide is low at six today'],
    ['<title>T</title><meta property="og:title" content="Whole title">', 'Whole title'],
    ['<title> Two\n lines </title>', 'Two lines'],
  ])('is a title: %s', (head, title) => {
    expect(about(head)).toMatchObject({ title });
  });

  it('is read from the first article of its structured data', () => {
    const ld = JSON.stringify({
      '@context': 'https://schema.org',
      '@graph': [
        { '@type': 'Organization', name: 'Site' },
        {
          '@type': 'BlogPosting',
          headline: 'The tide',
          author: { name: 'Ada' },
          datePublished: '2024-05-01',
        },
      ],
    });
    expect(
      about(`<title>t</title><script type='application/ld+json'>${ld}</script>`),
    ).toMatchObject({
      title: 'The tide',
      author: 'Ada',
      publishedSeconds: Date.UTC(2024, 4, 1) / 1000,
    });
  });

  it.each([
    ['damaged', '{"@type": "Article", "headline": '],
    ['endlessly nested', '['.repeat(100_000)],
    ['no object', '"Article"'],
    [
      'of other types',
      '{"@context":"https://schema.org","@type":"Article","headline":{},"author":7,"datePublished":[]}',
    ],
  ])('survives structured data that is %s', (_, ld) => {
    expect(
      about(`<title>t</title><script type="application/ld+json">${ld}</script>`),
    ).toMatchObject({ title: 't', author: null, publishedSeconds: null });
  });

  it('is no address of a script, and no address as an author', () => {
    expect(
      about(`<meta property="og:image" content="javascript:x"><link rel="canonical" href="data:,x">
             <meta property="article:author" content="https://social.example/ada">`),
    ).toMatchObject({ picture: null, canonicalUrl: null, author: null });
  });

  it('is known of a page that is too intricate to be read', () => {
    expect(read(`<title>The tide</title>${'<b>'.repeat(200_000)}`)).toMatchObject({
      about: { title: 'The tide' },
      article: null,
    });
  });
});
