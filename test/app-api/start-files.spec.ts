import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import yaml from 'js-yaml';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { runGatefold, type Outcome } from '../support/gatefold-command.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** app_api:app:manifest writes the files that start an app. */

let app: TestApp;
let folder: string;
let info: string;
let external: ExternalApp | undefined;
let nextApp = 0;
let appId: string;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

beforeEach(async () => {
  folder = await temporaryFolder('manifest');
  appId = `Paint_${nextApp++}`;
  info = await xml();
});

afterEach(async () => {
  await app.inside(LifecycleService).settled();
  await external?.close();
  external = undefined;
  await rm(folder, { recursive: true, force: true });
});

const SYSTEMD_ANALYZE = '/usr/bin/systemd-analyze';
const URL_OF_SERVICE = 'https://news.example/gatefold';
const IMAGE = 'ghcr.io/gulls/paint:2.1.0';

async function xml(variables = '<variable><name>BRUSH</name><default>round</default></variable>') {
  const place = path.join(folder, '..', `${path.basename(folder)}.xml`);
  await writeFile(
    place,
    `<?xml version="1.0"?><info><id>${appId}</id><name>Paint</name><version>2.1.0</version>
     <external-app><docker-install><registry>ghcr.io</registry><image>gulls/paint</image>
     <image-tag>2.1.0</image-tag></docker-install>
     <environment-variables>${variables}</environment-variables></external-app></info>`,
  );
  return place;
}

const manifest = (format: string, ...options: string[]): Promise<Outcome> =>
  runGatefold(
    app,
    'app_api:app:manifest',
    appId,
    '--format',
    format,
    ...(options.includes('--info-xml') ? [] : ['--info-xml', info]),
    '--nextcloud-url',
    URL_OF_SERVICE,
    ...options,
  );

const written = (name: string) => readFile(path.join(folder, name), 'utf8');

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly environment: Readonly<Record<string, string>> } & object>
  >;
}

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

/** What a shell reads in a file of variables. */
function secretIn(file: string): string {
  return execFileSync('/bin/sh', ['-c', '. "$1"; printf %s "$APP_SECRET"', 'sh', file], {
    encoding: 'utf8',
  });
}

/** The variables of a unit, read by the rules of systemd.syntax(7) and systemd.unit(5). */
function unitEnvironment(unit: string): Record<string, string> {
  const words = [...unit.matchAll(/^Environment="((?:[^"\\]|\\.)*)"$/gm)].map(([, word = '']) =>
    unescaped(word),
  );
  return Object.fromEntries(
    words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
}

function unescaped(word: string): string {
  return word
    .replaceAll(/\\(?:u([0-9a-f]{4})|(.))/g, (_all, code: string | undefined, plain: string) =>
      code === undefined ? plain : String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll('%%', '%');
}

const HOSTILE = [
  `it's "quoted"`,
  '$HOME ${X:-y} $(id) $$ `id`',
  '%h %% %n',
  String.raw`back\slash \n \x41 \u0041`,
  'line\nbreak\r\n- list: {a: b}',
  '# no comment',
  ': yes',
  'null',
  '0o17',
  '  spaces  ',
  'tab\tand \u007f \u0085 \u2028 \u2029 \ufeff 🐦',
  '',
  '--privileged',
];

const EXPECTED = {
  APP_ID: expect.stringMatching(/^Paint_/),
  APP_VERSION: '2.1.0',
  APP_DISPLAY_NAME: 'Paint',
  APP_HOST: '0.0.0.0',
  APP_PORT: '9030',
  AA_VERSION: '2.6.0',
  NEXTCLOUD_URL: URL_OF_SERVICE,
  COMPUTE_DEVICE: 'CPU',
  BRUSH: 'round',
};

describe('files for Compose', () => {
  it('have image, variables, port, volume, health check and restart; the secret is beside it', async () => {
    const { exitCode, printed, complaints } = await manifest('compose', '--output', folder);

    expect(exitCode).toBe(0);
    expect(printed).toBe(`${folder}/compose.yaml\n${folder}/${appId}.env\n`);
    expect(complaints).toContain(`--secret-file ${appId}.env`);
    const text = await written('compose.yaml');
    const storage = `/nc_app_${appId}_data`;
    expect(yaml.safeLoad(text)).toEqual({
      services: {
        [appId]: {
          image: IMAGE,
          container_name: `nc_app_${appId}`,
          restart: 'unless-stopped',
          env_file: [`${appId}.env`],
          environment: { ...EXPECTED, APP_PERSISTENT_STORAGE: storage },
          ports: ['127.0.0.1:9030:9030'],
          volumes: [`${appId}_data:${storage}`],
          healthcheck: {
            test: ['CMD-SHELL', expect.stringContaining('http://127.0.0.1:9030/heartbeat')],
            interval: '30s',
            timeout: '10s',
            retries: 3,
            start_period: '60s',
          },
        },
      },
      volumes: { [`${appId}_data`]: {} },
    });
    const secret = secretIn(path.join(folder, `${appId}.env`));
    expect(secret).toMatch(/^[0-9a-f]{128}$/);
    expect(text + printed + complaints).not.toContain(secret);
    expect((await stat(path.join(folder, `${appId}.env`))).mode & 0o777).toBe(0o600);
  });

  it('join the network of the machine if the service is on its loopback address', async () => {
    const { printed } = await manifest('compose', '--nextcloud-url', 'http://127.0.0.1:8080');

    const [, service] =
      Object.entries((yaml.safeLoadAll(composeOf(printed))[0] as Compose).services)[0] ?? [];
    expect(service).toMatchObject({
      network_mode: 'host',
      environment: { APP_HOST: '127.0.0.1', NEXTCLOUD_URL: 'http://127.0.0.1:8080' },
    });
    expect(service).not.toHaveProperty('ports');
  });

  it('give the app a graphics processor', async () => {
    const { printed } = await manifest('compose', '--compute-device', 'cuda');

    expect(yaml.safeLoad(composeOf(printed))).toMatchObject({
      services: {
        [appId]: {
          environment: { COMPUTE_DEVICE: 'CUDA', NVIDIA_VISIBLE_DEVICES: 'all' },
          deploy: { resources: { reservations: { devices: [{ driver: 'nvidia' }] } } },
        },
      },
    });
  });

  it('start an app that is then registered with the same secret', async () => {
    await manifest('compose', '--output', folder);
    const file = path.join(folder, `${appId}.env`);
    external = await startExternalApp(app, { appId, secret: secretIn(file) });
    external.on('/init', json({}, 404));

    const { printed } = await runGatefold(
      app,
      'app_api:app:register',
      appId,
      '--wait-finish',
      '--secret-file',
      file,
      '--json-info',
      JSON.stringify({ base_url: external.baseUrl }),
    );

    expect(printed).toContain('is enabled');
    expect(printed).not.toContain(external.secret);
    expect((await external.as().ocs('GET', '/ex-app/state')).statuscode).toBe(100);
  });

  it('of a registered app have its address, its version and its present secret', async () => {
    external = await startExternalApp(app, {
      appId,
      secret: 'a secret of gulls',
      version: '1.5.0',
    });
    await knowApp(app, external);
    await app.inside(ExAppsRepository).rotateSecret(appId, 'the next secret of gulls', 600);

    const { printed, complaints } = await manifest('compose', '--image', IMAGE, '--info-xml', info);

    expect(printed).toContain(`APP_SECRET='the next secret of gulls'\n`);
    expect(yaml.safeLoad(composeOf(printed))).toMatchObject({
      services: { [appId]: { environment: { APP_PORT: new URL(external.baseUrl).port } } },
    });
    expect(complaints).toContain(`is registered at ${external.baseUrl}`);
  });
});

/** The part of the output before the secret. */
function composeOf(printed: string): string {
  return printed.split(`# ${appId}.env`)[0] ?? '';
}

describe('a unit for systemd', () => {
  it('runs the image with Docker, which gets no value on its command line', async () => {
    await manifest('systemd', '--output', folder, '--env', 'TOKEN=not to be seen');

    const unit = await written(`nc_app_${appId}.service`);
    const [, start = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
    expect(start).toContain('/usr/bin/docker run --rm');
    expect(start).toContain(`--env TOKEN`);
    expect(start).toContain(`--env APP_SECRET`);
    expect(start).not.toContain('not to be seen');
    expect(start).toContain(`--publish 127.0.0.1:9030:9030`);
    expect(start.endsWith(` ${IMAGE}`)).toBe(true);
    expect(unit).toContain(`EnvironmentFile=${folder}/${appId}.env\n`);
    expect(unit).toContain('Restart=always\n');
    expect(unitEnvironment(unit)).toEqual({
      ...EXPECTED,
      TOKEN: 'not to be seen',
      APP_PERSISTENT_STORAGE: `/nc_app_${appId}_data`,
    });
  });

  it('runs a command as it was typed', async () => {
    const command = `cd /opt/paint && exec ./paint --colour "sea $BRUSH" 100% '\\t'`;

    await manifest('systemd', '--output', folder, '--command', command);

    const unit = await written(`nc_app_${appId}.service`);
    const [, start = ''] = /^ExecStart=\/bin\/sh -c "(.*)"$/m.exec(unit) ?? [];
    expect(unescaped(start).replaceAll('$$', '$')).toBe(command);
    expect(unitEnvironment(unit)).toMatchObject({
      APP_HOST: '127.0.0.1',
      APP_PERSISTENT_STORAGE: `/var/lib/nc_app_${appId}`,
    });
    expect(unit).not.toContain('docker');
  });

  it('is one that systemd accepts, where it is installed', async () => {
    const hostile = HOSTILE.flatMap((value, number) => ['--env', `V${number}=${value}`]);
    await manifest('systemd', '--output', folder, '--command', 'echo "$V1" %', ...hostile);
    const unit = path.join(folder, `nc_app_${appId}.service`);

    const { status, stderr } = existsSync(SYSTEMD_ANALYZE)
      ? spawnSync(SYSTEMD_ANALYZE, ['verify', '--man=no', unit], { encoding: 'utf8' })
      : { status: 0, stderr: '' };

    // It also complains about units of the machine.
    expect({ status, ours: stderr.split('\n').filter((line) => line.includes(appId)) }).toEqual({
      status: 0,
      ours: [],
    });
  });
});

describe('files for Kubernetes', () => {
  it('are a claim, a deployment and a service, and the secret as an object of its own', async () => {
    const { complaints } = await manifest('k8s', '--output', folder);

    const name = appId.toLowerCase().replace('_', '-');
    const text = await written(`${name}.yaml`);
    const objects = yaml.safeLoadAll(text) as KubernetesObject[];
    expect(objects.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ['PersistentVolumeClaim', name],
      ['Deployment', name],
      ['Service', name],
    ]);
    const [container] = objects[1]?.spec?.template.spec.containers ?? [];
    expect(container).toMatchObject({
      image: IMAGE,
      ports: [{ containerPort: 9030 }],
      livenessProbe: { httpGet: { path: '/heartbeat', port: 9030 } },
      volumeMounts: [{ name: 'data', mountPath: `/nc_app_${appId}_data` }],
    });
    expect(container?.env).toContainEqual({
      name: 'APP_SECRET',
      valueFrom: { secretKeyRef: { name, key: 'APP_SECRET' } },
    });
    const [secret] = yaml.safeLoadAll(await written(`${name}-secret.yaml`)) as KubernetesObject[];
    expect(secret).toMatchObject({ kind: 'Secret', metadata: { name } });
    expect(text).not.toContain(secret?.stringData?.['APP_SECRET']);
    expect((await stat(path.join(folder, `${name}-secret.yaml`))).mode & 0o777).toBe(0o600);
    expect(complaints).toContain(`"base_url":"http://${name}:9030"`);
  });

  it('are refused for a service on the loopback address', async () => {
    const { exitCode, complaints } = await manifest('k8s', '--nextcloud-url', 'http://[::1]:8080');

    expect(exitCode).toBe(1);
    expect(complaints).toContain('--nextcloud-url');
  });
});

describe('values', () => {
  it('arrive exactly, no matter what they are', async () => {
    const given = HOSTILE.flatMap((value, number) => ['--env', `V${number}=${value}`]);
    const wanted = Object.fromEntries(HOSTILE.map((value, number) => [`V${number}`, value]));
    const single = (text: string) => text.replaceAll('$$', '$');

    const compose = await manifest('compose', '--force', '--output', folder, ...given);
    await manifest('systemd', '--force', '--output', folder, ...given);
    await manifest('k8s', '--force', '--output', folder, ...given);

    expect(compose.exitCode).toBe(0);
    const { services } = yaml.safeLoad(await written('compose.yaml')) as Compose;
    const inCompose = Object.entries(services[appId]?.environment ?? {});
    expect(Object.fromEntries(inCompose.map(([key, text]) => [key, single(text)]))).toMatchObject(
      wanted,
    );
    const name = appId.toLowerCase().replace('_', '-');
    const [, deployment] = yaml.safeLoadAll(await written(`${name}.yaml`)) as KubernetesObject[];
    const env = deployment?.spec?.template.spec.containers[0]?.env ?? [];
    expect(Object.fromEntries(env.map((one) => [one.name, single(one.value ?? '')]))).toMatchObject(
      wanted,
    );
    expect(unitEnvironment(await written(`nc_app_${appId}.service`))).toMatchObject(wanted);
  });

  it('of the protocol are not replaced by the info.xml', async () => {
    const variables = ['APP_ID', 'NEXTCLOUD_URL', 'APP_PORT']
      .map((name) => `<variable><name>${name}</name><default>evil</default></variable>`)
      .join('');

    const { printed } = await manifest('compose', '--info-xml', await xml(variables));

    expect(printed).not.toContain('evil');
  });

  it.each([
    [
      'a name with a line break',
      '<variable><name>A&#10;B</name></variable>',
      [],
      /cannot be the name/,
      1,
    ],
    ['a secret', '<variable><name>APP_SECRET</name></variable>', [], /file of its own/, 1],
    ['an option as image', '', ['--image', '-v=/:/host'], /name of an image/, 1],
    ['an image with blanks', '', ['--image', 'a --privileged'], /name of an image/, 1],
    ['no address', '', ['--nextcloud-url', 'file:///etc'], /http or https/, 2],
    ['a command in a container', '', ['--command', 'true'], /--format systemd/, 2],
  ])('that are %s are refused', async (_what, variables, options, message, status) => {
    const { exitCode, complaints, printed } = await manifest(
      'compose',
      '--info-xml',
      await xml(variables),
      ...options,
    );

    expect({ exitCode, printed }).toEqual({ exitCode: status, printed: '' });
    expect(complaints).toMatch(message);
  });

  it.each(["it's", 'back\\slash', 'line\nbreak', 'ünder'])(
    'like the secret %j are refused where programs read them differently',
    async (secret) => {
      external = await startExternalApp(app, { appId, secret });
      await knowApp(app, external);

      const { exitCode, complaints } = await manifest('compose', '--output', folder);

      expect(exitCode).toBe(1);
      expect(complaints).toContain('--rotate');
      expect(await readdir(folder)).toEqual([]);
    },
  );
});

describe('app_api:app:manifest', () => {
  it('overwrites nothing without --force', async () => {
    await manifest('compose', '--output', folder);
    const before = await written(`${appId}.env`);

    const again = await manifest('compose', '--output', folder);

    expect(again.exitCode).toBe(1);
    expect(again.complaints).toContain('--force');
    expect(await written(`${appId}.env`)).toBe(before);
  });

  it('needs an image or a command, and an app', async () => {
    const unknown = await runGatefold(app, 'app_api:app:manifest', 'gull', '--format', 'compose');
    const nothing = await runGatefold(app, 'app_api:app:manifest', '--format', 'compose');

    expect(unknown.complaints).toContain('--image');
    expect(nothing.complaints).toContain('--info-xml');
  });
});
