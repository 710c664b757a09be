import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { SETTINGS } from '../src/common/config/config.js';
import { DEFAULT_LIMITS } from '../src/common/config/limits.js';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('docs/configuration.md', () => {
  const rows = [...read('docs/configuration.md').matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm)];
  const table = new Map(rows.map(([, name, fallback, meaning]) => [name, { fallback, meaning }]));

  it.each(Object.entries(SETTINGS.shape))('describes %s as the program does', (name, schema) => {
    const row = table.get(name);

    expect(row?.meaning).toBe(schema.description);
    expect(row?.fallback).toBe(shown(schema.safeParse(undefined).data));
  });

  it('describes nothing else', () => {
    expect([...table.keys()]).toEqual(Object.keys(SETTINGS.shape));
  });

  function shown(fallback: unknown): string {
    if (fallback === undefined) {
      return 'unset';
    }
    if (typeof fallback === 'object') {
      return 'none';
    }
    return `\`${typeof fallback === 'boolean' ? (fallback ? 'on' : 'off') : String(fallback)}\``;
  }
});

describe('docs/operations.md', () => {
  const rows = read('docs/operations.md').matchAll(/^\| `([a-z-]+)` \| ([\d,]+) \|/gm);
  const table = [...rows].map(([, name, limit = '']) => [name, Number(limit.replaceAll(',', ''))]);

  it('names every limit of known users and apps with its default, and nothing else', () => {
    expect(Object.fromEntries(table)).toEqual(DEFAULT_LIMITS);
  });
});

describe('docs/conformance', () => {
  const specs = ['test', 'src']
    .flatMap((folder) => globSync(`${folder}/**/*.spec.ts`))
    .map(read)
    .join('\n');
  const tested = new Set([...specs.matchAll(/(?<=\[|')[NG]\d+(?=\]|')/g)].map(([id]) => id));

  it.each(['news', 'gateway'])('%s.md: every statement has a test that names it', (name) => {
    const stated = idsOf(name);

    expect(stated.length).toBeGreaterThan(100);
    expect(stated.filter((id) => !tested.has(id))).toEqual([]);
  });

  it('every id in the title of a test is that of a statement', () => {
    const stated = new Set([...idsOf('news'), ...idsOf('gateway')]);

    expect([...tested].filter((id) => !stated.has(id))).toEqual([]);
  });

  function idsOf(name: string): string[] {
    const rows = read(`docs/conformance/${name}.md`).matchAll(/^\| ([NG]\d+) \|/gm);
    return [...rows].map(([, id = '']) => id);
  }
});

describe('the reverse proxy', () => {
  const file = read('deploy/nginx.conf');
  const [, documented = ''] = /```nginx\n([\s\S]*?)```/.exec(read('docs/operations.md')) ?? [];
  /** Directives alone, with the address that differs made the same. */
  const directives = (text: string) =>
    text
      .split('\n')
      .map((line) => line.replace(/#.*$/, '').trim().replace(/\s+/g, ' '))
      .filter((line) => line !== '')
      .map((line) => line.replace(/http:\/\/[\w.]+:8080/, 'http://SERVICE'));

  it('is configured in the file as the document says', () => {
    expect(directives(file)).toEqual(directives(documented));
    expect(directives(file).length).toBeGreaterThan(15);
  });

  it('sets every forwarded header itself, so that none of a client is passed on', () => {
    for (const name of ['Host', 'X-Forwarded-Host', 'X-Forwarded-For', 'X-Forwarded-Proto']) {
      expect(file).toMatch(new RegExp(`proxy_set_header ${name} \\$`));
    }
  });

  it('passes WebSockets on, and streams', () => {
    expect(directives(file)).toEqual(
      expect.arrayContaining([
        'proxy_http_version 1.1;',
        'proxy_set_header Upgrade $http_upgrade;',
        'proxy_set_header Connection $connection_upgrade;',
        'proxy_buffering off;',
      ]),
    );
  });

  it('takes recordings as large as the service does', () => {
    const { GATEFOLD_LARGEST_RECORDING_MIB: mib } = SETTINGS.parse({});

    const [, largest] = /client_max_body_size (\d+)m;/.exec(file) ?? [];

    expect(Number(largest)).toBe(mib);
  });

  it('is the one address that the service trusts in docker-compose.yml', () => {
    const compose = read('docker-compose.yml');

    const [, trusted] = /GATEFOLD_TRUSTED_PROXIES: (\S+)/.exec(compose) ?? [];
    const [, proxy] = /\n {2}proxy:\n[\s\S]*?ipv4_address: (\S+)/.exec(compose) ?? [];

    expect(proxy).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(trusted).toBe(`${proxy}/32`);
  });
});
