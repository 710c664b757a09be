import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvalidConfiguration } from './common/config/config.js';
import { DEFAULT_LIMITS } from './common/config/limits.js';
import { NewsSettings } from './news/news.settings.js';
import { AccountsSettings } from './platform/accounts/accounts.settings.js';
import { LdapSettings } from './platform/sign-in/ldap/ldap.settings.js';
import { loadConfig } from './settings.js';

const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return error instanceof InvalidConfiguration ? error.faults : [String(error)];
  }
};

describe('the configuration', () => {
  it('has a default for everything a first start needs', () => {
    const config = loadConfig({});

    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      rateLimits: true,
      fetchAllowPrivate: [],
    });
    expect(config.of(AccountsSettings).adminUser).toBe('admin');
    expect(config.of(NewsSettings).scheduler).toBe(true);
    expect(config.databaseUrl).toBeUndefined();
  });

  it('reports all faults together, each with the name, the rule and the value', () => {
    expect(
      faultsOf({
        GATEFOLD_PORT: 'eighty',
        GATEFOLD_SCHEDULER: 'maybe',
        GATEFOLD_TRUSTED_PROXIES: '10.0.0.0/8, proxy',
      }),
    ).toEqual([
      'GATEFOLD_PORT must be a whole number from 0 to 65535, but is "eighty".',
      'GATEFOLD_TRUSTED_PROXIES must be addresses in CIDR form, for instance 10.0.0.0/8, but is "10.0.0.0/8, proxy".',
      'GATEFOLD_SCHEDULER must be one of on, off, but is "maybe".',
    ]);
  });

  it('notices a setting that does not exist, which is most often a typing error', () => {
    expect(faultsOf({ GATEFOLD_PROT: '8080' })).toEqual([
      'GATEFOLD_PROT is not a setting of Gatefold; see docs/configuration.md.',
    ]);
  });

  it('shows no secret when it complains about one', () => {
    const [fault] = faultsOf({ DATABASE_URL: 'mysql://me:secret@db/x' });

    expect(fault).toBe('DATABASE_URL must be a postgresql:// address.');
  });

  it('takes an outgoing proxy with credentials, and shows none of a wrong one', () => {
    const wrong = ['socks5://me:secret@proxy', 'me:secret@proxy:80', 'http://me:s%ecret@proxy'];
    const { outgoingProxy } = loadConfig({
      GATEFOLD_OUTGOING_PROXY: 'http://me:s%40cret@proxy:3128',
    });

    const faults = wrong.flatMap((address) => faultsOf({ GATEFOLD_OUTGOING_PROXY: address }));

    expect(outgoingProxy).toBe('http://me:s%40cret@proxy:3128');
    expect(faults).toHaveLength(3);
    expect(faults.join()).toMatch(/^GATEFOLD_OUTGOING_PROXY must be an address such as http:/);
    expect(faults.join()).not.toMatch(/secret|ecret@/);
  });

  it.each(['proxy.example.org:80', 'http://example.org', '10.0.0.0/99', '::1'])(
    'refuses exceptions from the outgoing proxy that would never apply, such as %s',
    (text) => {
      const settings = { GATEFOLD_OUTGOING_PROXY: 'http://proxy:3128' };
      const faults = faultsOf({ ...settings, GATEFOLD_OUTGOING_PROXY_EXCEPT: text });

      expect(faults).toHaveLength(1);
    },
  );

  it('reads secrets from files, as container platforms mount them', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatefold-secrets-'));
    const file = (name: string, content: string) => {
      writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const config = loadConfig({
      DATABASE_URL_FILE: file('database', 'postgresql://me:secret@db/x\n'),
      GATEFOLD_ADMIN_PASSWORD_FILE: file('password', ' with spaces \r\n'),
      GATEFOLD_SECRET_KEY_FILE: '',
    });

    expect(config).toMatchObject({
      databaseUrl: 'postgresql://me:secret@db/x',
      secretKey: undefined,
    });
    expect(config.of(AccountsSettings).adminPassword).toBe(' with spaces ');
  });

  it('says which file of a secret cannot be used, and shows no secret', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatefold-secrets-'));
    const file = (name: string, content: string) => {
      writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };

    expect(
      faultsOf({
        DATABASE_URL: 'postgresql://me:secret@db/x',
        DATABASE_URL_FILE: file('database', 'postgresql://me:secret@db/y'),
        GATEFOLD_ADMIN_PASSWORD_FILE: file('empty', '\n'),
        GATEFOLD_SECRET_KEY_FILE: '/nowhere/key',
        GATEFOLD_OIDC_CLIENT_SECRET_FILE: file('huge', 'x'.repeat(65_537)),
        GATEFOLD_PORT_FILE: file('port', '80'),
      }),
    ).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set; set one of them.',
      'GATEFOLD_SECRET_KEY_FILE names the file "/nowhere/key", which cannot be read (ENOENT).',
      `GATEFOLD_ADMIN_PASSWORD_FILE names the file "${folder}/empty", which is empty.`,
      `GATEFOLD_OIDC_CLIENT_SECRET_FILE names the file "${folder}/huge", which has more than 65536 bytes.`,
      'GATEFOLD_PORT_FILE is not a setting of Gatefold; see docs/configuration.md.',
    ]);
    expect(faultsOf({ GATEFOLD_SECRET_KEY_FILE: file('short', 'a short key') })).toEqual([
      'GATEFOLD_SECRET_KEY must have at least 32 characters.',
    ]);
  });

  it('takes an empty variable as unset', () => {
    expect(loadConfig({ GATEFOLD_PORT: '', GATEFOLD_BASE_URL: '' }).port).toBe(8080);
  });

  it('reads the limits that are named, and keeps the defaults of the others', () => {
    const { limits } = loadConfig({ GATEFOLD_LIMITS: 'files-per-user=7' });

    expect(limits).toEqual({ ...DEFAULT_LIMITS, 'files-per-user': 7 });
    expect(faultsOf({ GATEFOLD_LIMITS: 'files-per-user=0' })).toHaveLength(1);
    expect(faultsOf({ GATEFOLD_LIMITS: 'fils-per-user=7' })[0]).toMatch(
      /^GATEFOLD_LIMITS must be entries such as/,
    );
  });

  it('reads lists and takes slashes off the end of the public address', () => {
    const config = loadConfig({
      GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.0/8 fd00::/8,10.1.2.3/32',
      GATEFOLD_BASE_URL: 'https://cloud.example/next/',
    });

    expect(config.fetchAllowPrivate).toEqual(['127.0.0.0/8', 'fd00::/8', '10.1.2.3/32']);
    expect(config.baseUrl).toBe('https://cloud.example/next');
  });

  it('reads schemes in any case, since the code compares small ones', () => {
    const config = loadConfig({
      GATEFOLD_BASE_URL: 'HTTPS://cloud.example',
      GATEFOLD_LDAP_URL: 'LDAP://ldap.example.org',
      GATEFOLD_LDAP_USER_BASE: 'ou=people',
    });

    expect(config.baseUrl).toBe('https://cloud.example');
    expect(config.of(LdapSettings).url).toBe('ldap://ldap.example.org');
  });

  it('accepts an origin for pages of apps, if browsers keep its cookies apart', () => {
    const GATEFOLD_BASE_URL = 'https://reader.example/next';
    const faults = (origin: string) =>
      faultsOf({ GATEFOLD_BASE_URL, GATEFOLD_APPS_ORIGIN: origin });

    for (const good of [
      'https://Apps.example',
      'https://apps.example:8443/',
      'https://*.a.example',
    ]) {
      expect(faults(good)).toEqual([]);
    }
    for (const bad of [
      'apps.example',
      'ftp://apps.example',
      'https://apps.example/path',
      'https://user@apps.example',
      'https://a.*.example',
      'https://*',
      // The same host name, on any port, or covered by the pattern.
      'https://reader.example:8443',
      'https://*.example',
      // Mixed content: not shown in a page with https.
      'http://apps.example',
    ]) {
      expect(faults(bad)).toHaveLength(1);
    }
    expect(faultsOf({ GATEFOLD_APPS_ORIGIN: 'https://apps.example' })).toEqual([
      'GATEFOLD_APPS_ORIGIN needs GATEFOLD_BASE_URL to be set, too.',
    ]);
  });
});
