import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { SETTINGS } from '../src/settings.js';

/* docs/what-leaves-the-house.md names every server that the service calls. */

const document = readFileSync('docs/what-leaves-the-house.md', 'utf8');
const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
const sources = globSync('src/**/*.ts')
  .filter((file) => !file.endsWith('.spec.ts'))
  .map((file) => ({ file, text: withoutComments(readFileSync(file, 'utf8')) }));

/** By the client for outgoing requests, by Node.js, or by a library that connects itself. */
const OPENING = [
  /: Outgoing(?:Http|Stream)\b/,
  /(?<![.\w#'"])fetch\((?!\)|:)/,
  /createTransport\(|S3Client\(|new (?:pg\.)?(?:Client|Pool)\(|opentelemetry\/(?:auto|sdk)/,
];
const BY_NODE = /\b(?:https?|tls|net|http2)\.(?:request|connect|get)\(/;
const NODE = /from 'node:(?:https?|tls|net|http2|dgram)'/;

/** They run in browsers, or connect to the database and to nothing else. */
const ELSEWHERE = new Map([
  ['src/platform/sign-in/forms/passkey-form.ts', 'script of a page of the service'],
  ['src/platform/pages/error-pages/browser-error.filter.ts', 'script of a page of the service'],
  ['src/platform/pages/api-docs/viewer-files.ts', 'script of a page of the service'],
  ['src/common/http/outgoing-http.ts', 'the client itself'],
  ['src/common/http/outgoing-stream.ts', 'the client itself'],
  ['src/cli/caller.ts', 'the socket of commands on this machine'],
]);

describe('docs/what-leaves-the-house.md', () => {
  it('names every file that opens connections', () => {
    const opening = sources
      .filter(
        ({ text }) =>
          OPENING.some((pattern) => pattern.test(text)) || (NODE.test(text) && BY_NODE.test(text)),
      )
      .map(({ file }) => file)
      .filter((file) => !ELSEWHERE.has(file));

    expect(opening.length).toBeGreaterThan(20);
    expect(opening.filter((file) => !document.includes(`(../${file})`))).toEqual([]);
  });

  it('names no file that opens none', () => {
    const named = [...document.matchAll(/\(\.\.\/(src\/[^)]+)\)/g)].map(([, file]) => file);

    expect(named.filter((name) => !sources.some(({ file }) => file === name))).toEqual([]);
  });

  it('names every setting whose value is the address of a server', () => {
    const addresses = ['https', 'http', 'postgresql', 'smtps', 'ldaps'].map(
      (scheme) => `${scheme}://host.example`,
    );
    const stores = ['s3+https://host.example/bucket', 's3://host.example/bucket', 's3:bucket'];
    const naming = Object.entries(SETTINGS).filter(([, schema]) => {
      const takes = (text: string) => schema.safeParse(text).success;
      return [...addresses, ...stores].some(takes) && !takes('any words that are long enough');
    });

    expect(naming.map(([name]) => name)).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'GATEFOLD_OIDC_ISSUER', 'GATEFOLD_SMTP_URL']),
    );
    expect(naming.map(([name]) => name).filter((name) => !document.includes(name))).toEqual([]);
  });

  it('names every host whose address is in the code', () => {
    const identifiers = new Set(['jsonfeed.org', 'gatefold.org']);
    const hosts = sources.flatMap(({ text }) =>
      [...text.matchAll(/['"`]https:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)/g)].map(
        ([, host = '']) => host,
      ),
    );
    const unnamed = hosts.filter(
      (host) =>
        !identifiers.has(host) &&
        !/\.?example(?:\.|$)|\.invalid$/.test(host) &&
        !document.includes(host),
    );

    expect(hosts).toContain('api.pushover.net');
    expect(unnamed).toEqual([]);
  });
});
