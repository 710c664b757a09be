import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { globSync, readFileSync } from 'node:fs';
import yaml from 'yaml';
import { SETTINGS } from '../src/settings.js';

/** What operators start Gatefold with. Docker, Helm and systemd themselves are not needed. */
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const FILES = [
  'Dockerfile',
  'docker-compose.yml',
  ...globSync('deploy/**/*', {
    cwd: new URL('..', import.meta.url).pathname,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath.replace(/^.*\/(?=deploy)/, '')}/${name}`),
];

describe.each(FILES)('%s', (file) => {
  it('names no setting that does not exist', () => {
    const named = [...read(file).matchAll(/\b(?:GATEFOLD|DATABASE)_[A-Z_]*[A-Z]\b/g)].map(
      ([name]) => name.replace(/_FILE$/, ''),
    );

    expect(named.filter((name) => !(name in SETTINGS))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  it('has two processes with the same settings, and a proxy that they trust', () => {
    const { services } = yaml.parse(read('docker-compose.yml'), { merge: true }) as {
      services: Record<
        string,
        { environment: object; networks: { default: { ipv4_address: string } } }
      >;
    };
    const { 'gatefold-1': first, 'gatefold-2': second, proxy } = services;

    expect(first?.environment).toEqual(second?.environment);
    expect(first?.environment).toMatchObject({
      GATEFOLD_TRUSTED_PROXIES: `${proxy?.networks.default.ipv4_address}/32`,
    });
    for (const name of ['gatefold-1', 'gatefold-2']) {
      expect(read('deploy/nginx.conf')).toContain(`server ${name}:8080`);
    }
  });

  it('gives secrets to read-only containers from files, as Docker Compose asks', () => {
    const { services, secrets } = yaml.parse(read('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { read_only?: boolean; secrets?: string[]; environment?: object }>;
      secrets: Record<string, { file?: string }>;
    };
    const given = Object.values(services).flatMap((service) => service.secrets ?? []);

    expect(new Set(given)).toEqual(new Set(Object.keys(secrets)));
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret).toEqual({ file: `./secrets/${name}` });
      expect(read('docker-compose.yml')).toMatch(new RegExp(`^#   .* > secrets/${name}$`, 'm'));
    }
    for (const file of ['.gitignore', '.dockerignore']) {
      expect(read(file)).toMatch(/^\/?secrets\/?$/m);
    }
  });
});

describe('deploy/gatefold-backup.service', () => {
  const settingsOf = (unit: string) => {
    const [, service = ''] = read(unit).split(/^\[Service\]$/m);
    const [settings = ''] = service.split(/^\[/m);
    return settings.split('\n').filter((line) => /^[A-Z]\w+=/.test(line));
  };
  const nightly = settingsOf('deploy/gatefold-backup.service');

  it('runs as the user of gatefold.service, with its data, settings and restrictions', () => {
    const needed = settingsOf('deploy/gatefold.service').filter(
      (line) =>
        !/^(Type|StateDirectory|ExecStart|Restart|RestartSec|TimeoutStopSec|KillMode|LimitNOFILE)=/.test(
          line,
        ),
    );

    expect(needed).toContain('DynamicUser=yes');
    expect(needed.filter((line) => !nightly.includes(line))).toEqual([]);
    expect(nightly).toEqual(
      expect.arrayContaining(['User=gatefold', 'StateDirectory=gatefold gatefold-backups']),
    );
  });
});

describe('The Helm chart', () => {
  const folder = 'deploy/helm/gatefold';
  const values = yaml.parse(read(`${folder}/values.yaml`)) as Record<string, unknown>;
  const isValid = new Ajv({ strictTypes: false }).compile(
    JSON.parse(read(`${folder}/values.schema.json`)) as object,
  );

  it('has defaults that fit its schema, which refuses mistakes', () => {
    expect(isValid(values)).toBe(true);
    for (const mistake of [
      { replicas: 3 },
      { replicaCount: 0 },
      { baseUrl: 'reader.example' },
      { secretKey: { value: 'short' } },
      { settings: { PATH: '/' } },
    ]) {
      expect([mistake, isValid({ ...values, ...mistake })]).toEqual([mistake, false]);
    }
  });

  it('uses only values that have a default', () => {
    const templates = FILES.filter((file) => file.startsWith(`${folder}/templates/`)).map(read);
    const used = templates.flatMap((text) =>
      [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path),
    );
    const valueAt = (path: string) =>
      path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], values);

    expect(used.length).toBeGreaterThan(30);
    expect(used.filter((path) => valueAt(path) === undefined)).toEqual([]);
  });

  it('has the version of the program', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const chart = yaml.parse(read(`${folder}/Chart.yaml`)) as object;

    expect(chart).toMatchObject({ version, appVersion: version });
  });
});
