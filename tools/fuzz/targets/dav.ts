import fc from 'fast-check';
import { DavClient } from '../../../test/support/dav-client.js';
import { startApp } from '../../../test/support/start-app.js';
import { answerOf } from '../answer-of.js';
import { damaged, hostileMarkup } from '../hostile-documents.js';
import { hostileText } from '../hostile-values.js';
import type { Target } from '../target.js';

const PROPFIND = `<?xml version="1.0"?><d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns">
<d:prop><d:getetag/><d:resourcetype/><oc:fileid/><oc:size/></d:prop></d:propfind>`;

const PROPPATCH = `<?xml version="1.0"?><d:propertyupdate xmlns:d="DAV:"><d:set><d:prop>
<d:lastmodified>1</d:lastmodified><x:own xmlns:x="urn:x">value</x:own></d:prop></d:set>
<d:remove><d:prop><x:own xmlns:x="urn:x"/></d:prop></d:remove></d:propertyupdate>`;

const SEARCH = `<?xml version="1.0"?><d:searchrequest xmlns:d="DAV:"><d:basicsearch>
<d:select><d:prop><d:getetag/></d:prop></d:select>
<d:from><d:scope><d:href>/files/ada</d:href><d:depth>infinity</d:depth></d:scope></d:from>
<d:where><d:and><d:like><d:prop><d:displayname/></d:prop><d:literal>%a%</d:literal></d:like>
<d:gt><d:prop><d:getcontentlength/></d:prop><d:literal>1</d:literal></d:gt></d:and></d:where>
<d:orderby><d:order><d:prop><d:displayname/></d:prop></d:order></d:orderby>
<d:limit><d:nresults>5</d:nresults></d:limit></d:basicsearch></d:searchrequest>`;

const LOCK = `<?xml version="1.0"?><d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope>
<d:locktype><d:write/></d:locktype><d:owner>ada</d:owner></d:lockinfo>`;

const METHODS = [
  'PROPFIND',
  'PROPPATCH',
  'SEARCH',
  'REPORT',
  'LOCK',
  'UNLOCK',
  'MKCOL',
  'MOVE',
  'COPY',
  'PUT',
  'GET',
  'HEAD',
  'DELETE',
  'OPTIONS',
  'POST',
];

const HEADERS = [
  'depth',
  'destination',
  'overwrite',
  'if',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
  'content-range',
  'content-type',
  'lock-token',
  'timeout',
  'x-oc-mtime',
  'oc-checksum',
  'oc-total-length',
  'x-oc-ctime',
  'oc-chunked',
];

const headerValue = fc.oneof(
  hostileText,
  fc.constantFrom(
    '0',
    '1',
    'infinity',
    'T',
    'F',
    'bytes=0-0',
    'bytes=-5',
    'bytes=5-1',
    'bytes=0-99999999999999999999',
    'bytes=0-1,2-3,',
    'bytes 0-1/2',
    '"x", W/"y", *',
    '(<opaquelocktoken:x> ["y"]) (Not <z>)',
    '<opaquelocktoken:00000000-0000-4000-8000-000000000000>',
    'Second-1, Infinite',
    'Second-99999999999999999999',
    '/remote.php/dav/files/ada/b.txt',
    '/remote.php/dav/files/ada/',
    'http://elsewhere/remote.php/dav/files/ada/x',
    'SHA256:zz',
    'MD5:x SHA1:y',
    'Thu, 01 Jan 1970 00:00:00 GMT',
  ),
);

const paths = fc.oneof(
  fc.constantFrom('/', '/a.txt', '/folder', '/folder/', '/folder/c.txt', '/missing/x', '//', '/.'),
  hostileText
    .filter((text) => text.isWellFormed())
    .map((text) => `/${encodeURIComponent(text.slice(0, 300))}`),
);

/** WebDAV answers any request with a status below 500, except for a full store or gateway errors. */
export const davTarget: Target = {
  name: 'dav',
  smokeRuns: 300,
  async open() {
    const app = await startApp();
    const files = new DavClient(await app.signInOnce('ada'));
    await files.call('MKCOL', '/folder');
    const request = fc.record({
      method: fc.constantFrom(...METHODS),
      path: paths,
      headers: fc.dictionary(fc.constantFrom(...HEADERS), headerValue, { maxKeys: 4 }),
      body: fc.oneof(
        fc.constant(undefined),
        hostileMarkup,
        damaged([PROPFIND, PROPPATCH, SEARCH, LOCK]),
      ),
    });
    const property = fc.asyncProperty(request, async ({ method, path, headers, body }) => {
      await files.call('PUT', '/a.txt', { body: 'contents' });
      const { status, text } = await answerOf(() =>
        files.call(method, path, { headers, ...(body === undefined ? {} : { body }) }),
      );
      if (status === 500) {
        throw new Error(`${method}: ${text}`);
      }
    });
    return { property, close: () => app.stop() };
  },
};
