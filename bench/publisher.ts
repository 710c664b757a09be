import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const ITEMS = 30;
const PARAGRAPH = `<p>${'Plain words of an article with a <a href="/link">link</a>. '.repeat(12)}</p>`;

/** A web server with any number of feeds of 30 items, each with an ETag: `/1.xml`, `/2.xml`, … */
export async function startPublisher(): Promise<{
  readonly url: string;
  close(): void;
}> {
  const server = createServer(({ url = '/', headers }, response) => {
    if (headers['if-none-match'] === '"v1"') {
      response.writeHead(304).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/rss+xml', etag: '"v1"' });
    response.end(documentOf(url));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function documentOf(path: string): string {
  const items = Array.from(
    { length: ITEMS },
    (_, n) => `<item><title>Article ${n} of ${path}</title><link>http://127.0.0.1${path}/${n}</link>
      <guid>${path}#${n}</guid><pubDate>Mon, 0${1 + (n % 9)} Jun 2026 10:00:00 GMT</pubDate>
      <description><![CDATA[${PARAGRAPH.repeat(4)}]]></description></item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed ${path}</title>
    <link>http://127.0.0.1/</link>${items.join('\n')}</channel></rss>`;
}
