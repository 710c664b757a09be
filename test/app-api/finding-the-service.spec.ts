import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { DaemonsService } from '../../src/app-api/apps/daemons/daemons.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { ServiceProbe } from '../../src/app-api/host/service-probe.service.js';
import { AppModule } from '../../src/app.module.js';
import { serve } from '../../src/cli/serve.command.js';
import { Config } from '../../src/common/config/config.js';
import { loadConfig } from '../../src/settings.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { runGatefold } from '../support/gatefold-command.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { SECRET_KEY } from '../support/test-database.js';

/** Commands run in separate processes, whose environment may not have the port of the service. */

let service: TestApp;
/** The application of a command: the same database, without a port in its environment. */
let command: INestApplicationContext;
let external: ExternalApp;
let appId: string;
let nextApp = 0;

beforeAll(async () => {
  service = await startApp();
  command = await NestFactory.createApplicationContext(AppModule.with(configOfCommand()), {
    logger: false,
  });
});

afterAll(async () => {
  await command?.close();
  await service?.stop();
});

beforeEach(async () => {
  appId = `app-${nextApp++}`;
  external = await startExternalApp(service, { appId });
  external.on('/init', json({}, 404));
});

afterEach(async () => {
  await service.inside(LifecycleService).settled();
  await service.database.query('delete from service_address');
  await external.close();
});

function configOfCommand(settings: Readonly<Record<string, string>> = {}): Config {
  const { databaseUrl, dataDir } = service.inside(Config);
  return loadConfig({
    DATABASE_URL: databaseUrl ?? '',
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_SECRET_KEY: SECRET_KEY,
    GATEFOLD_SCHEDULER: 'off',
    GATEFOLD_DATABASE_CONNECTIONS: '4',
    GATEFOLD_LOG_LEVEL: 'silent',
    ...settings,
  });
}

const gatefold = (...args: string[]) =>
  runGatefold({ inside: (token) => command.get(token as never, { strict: false }) }, ...args);
const announce = () => service.inside(ServiceProbe).announce();

const register = (info: object = {}, ...options: string[]) =>
  gatefold(
    'app_api:app:register',
    appId,
    ...options,
    '--json-info',
    JSON.stringify({ base_url: external.baseUrl, ...info }),
  );

describe('a command while the service runs', () => {
  it('finds the port of the service, and tells the app that address', async () => {
    await announce();

    const { printed, complaints, exitCode } = await register({});

    expect(complaints).not.toContain('No Gatefold service');
    expect(printed).toContain(`  NEXTCLOUD_URL=${service.url}\n`);
    expect(exitCode).toBe(0);
  });

  it('shows the address in the doctor', async () => {
    await announce();
    await knowApp(service, external);

    const { printed } = await gatefold('app_api:doctor', appId);

    expect(printed).toMatch(new RegExp(`^Calls back at +${service.url} \\(answers\\)$`, 'm'));
  });

  it('skips addresses of crashed processes', async () => {
    await announce();
    await service.database.query(
      `insert into service_address (address, announced_at)
       values ('http://127.0.0.1:9', now() + interval '1 minute')`,
    );

    const { printed, complaints } = await register({});

    expect(complaints).toBe('');
    expect(printed).toContain(`  NEXTCLOUD_URL=${service.url}\n`);
  });

  it('lists the addresses it tried if no service runs', async () => {
    const { complaints } = await register({});

    expect(complaints).toContain(
      'No Gatefold service answers this command at http://127.0.0.1:8080.',
    );
  });

  it('tells apps the address of their daemon, even if it does not reach the running service', async () => {
    await announce();
    await command.get(DaemonsService, { strict: false }).register({
      name: 'elsewhere',
      displayName: 'Elsewhere',
      acceptsDeployId: 'manual-install',
      protocol: 'http',
      host: '127.0.0.1',
      deployConfig: { nextcloud_url: 'http://127.0.0.1:9/index.php/' },
      isDefault: false,
    });

    const { printed, complaints } = await register({ daemon_config_name: 'elsewhere' });

    expect(printed).toContain('  NEXTCLOUD_URL=http://127.0.0.1:9\n');
    expect(complaints).toBe(
      `The service runs at ${service.url}, but apps are told to call http://127.0.0.1:9, which does not answer this command.\n`,
    );
  });
});

describe('the stored address of the service', () => {
  it('is deleted when the service stops', async () => {
    const { app } = await serve(configOfCommand({ GATEFOLD_PORT: '0' }));
    const before = await service.database.query('select address from service_address');
    await app.close();

    expect(before).toHaveLength(1);
    expect(await service.database.query('select address from service_address')).toEqual([]);
  });

  it('is one of at most twenty', async () => {
    await service.database.query(
      `insert into service_address select 'http://127.0.0.1:' || n from generate_series(1, 50) n`,
    );

    await announce();

    const rows = await service.database.query<{ address: string }>(
      'select address from service_address',
    );
    expect(rows).toHaveLength(20);
    expect(rows).toContainEqual({ address: service.url });
  });
});

describe('a service whose port is taken', () => {
  it('exits with a message that names the setting', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    const started = serve(configOfCommand({ GATEFOLD_PORT: String(port) }));

    await expect(started).rejects.toMatchObject({
      name: 'StartRefused',
      message: `Port ${port} of 127.0.0.1 is in use by another program, perhaps another Gatefold. Stop it, or set GATEFOLD_PORT to a free port.`,
    });
    other.close();
  });
});

describe('options used by deployment scripts', () => {
  it('--env is printed with the environment of the process', async () => {
    const { printed } = await register({}, '--env', 'MODEL=small one', '--env', 'THREADS=2');

    expect(printed).toContain("  MODEL='small one'\n");
    expect(printed).toContain('  THREADS=2\n');
  });

  it('--env alone is printed if the secret was given, which is never shown again', async () => {
    const { printed } = await register({ secret: external.secret }, '--env', 'THREADS=2');

    expect(printed).toContain('in its environment, too:\n  THREADS=2\n');
    expect(printed).not.toContain('APP_SECRET');
  });

  it('--env rejects other formats, and registers nothing', async () => {
    const outcome = await register({}, '--env', 'nonsense');

    expect(outcome).toMatchObject({
      exitCode: 2,
      complaints: '--env takes NAME=VALUE, not "nonsense".\n',
    });
    expect((await gatefold('app_api:app:list')).printed).not.toContain(appId);
  });

  it('options for containers are accepted without effect', async () => {
    const registered = await register(
      {},
      '--mount',
      '/a:/b:ro',
      '--mount',
      '/c:/d',
      '--test-deploy-mode',
    );
    const updated = await gatefold(
      'app_api:app:update',
      appId,
      '--include-disabled',
      '--env',
      'A=1',
      '--mount',
      '/a:/b',
      '--json-info',
      '{"version":"0.0.0"}',
    );
    const daemon = await gatefold(
      'app_api:daemon:register',
      `harp-${appId}`,
      'HaRP',
      'manual-install',
      'http',
      '127.0.0.1',
      'http://127.0.0.1:8080',
      '--harp',
      '--harp_frp_address',
      '127.0.0.1:8782',
      '--harp_shared_key',
      'key',
      '--harp_docker_socket_port',
      '24000',
      '--harp_exapp_direct',
      '--net=host',
      '--haproxy_password',
      'word',
      '--compute_device',
      'cpu',
    );

    expect([registered, updated, daemon].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  });

  it.each(['add', 'remove', 'list'])(
    'app_api:daemon:registry:%s is refused with the reason',
    async (what) => {
      const refused = gatefold(`app_api:daemon:registry:${what}`, 'any', '--registry-to', 'x');

      await expect(refused).rejects.toThrow('Gatefold runs no containers');
    },
  );
});
