import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../../src/common/config/config.js';
import { StoreSettings } from '../../src/platform/files/stores/stores.settings.js';
import { freePort } from './free-port.js';
import { temporaryFolder } from './temporary-folder.js';
import { PROCESS_SECONDS, until } from './until.js';

const run = promisify(execFile);

/** Of Debian's packages `ceph-mon`, `ceph-osd` and `radosgw`. */
const PROGRAMS = [
  'ceph-mon',
  'ceph-osd',
  'radosgw',
  'radosgw-admin',
  'ceph-authtool',
  'monmaptool',
  'setpriv',
];

const START_MS = 60_000;

interface StoreAccess {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A gateway of Ceph, with the S3 protocol; objects are in its memory. */
export interface AnObjectStore {
  readonly access: StoreAccess;
  /** Settings of a service that keeps contents in a new bucket. */
  newBucket(prefix?: string): Promise<BucketOfTests>;
  /** Refuses larger objects, as a store without room does; `null` ends that. */
  limit(bytes: number | null): Promise<void>;
  /** Ends the gateway as a crash does; objects stay. */
  kill(): Promise<void>;
  /** Starts it again at the same address. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

/** Where a run of specs finds the object store that is started for it, as JSON. */
const OF_THE_RUN = 'TEST_OBJECT_STORE';

export interface BucketOfTests {
  readonly settings: Readonly<Record<string, string>>;
  /** `s3://bucket/prefix?…`. */
  readonly address: string;
  /** Keys of all objects. */
  keys(): Promise<string[]>;
  /** Keys of uploads in parts that are neither complete nor aborted. */
  unfinished(): Promise<string[]>;
  /** Begins such uploads. */
  beginUploads(keys: readonly string[]): Promise<void>;
  /** Deletes all objects. */
  empty(): Promise<void>;
}

/**
 * Why there is no object store on this machine; undefined when there is. In CI as root, where the
 * programs are installed, it must be there.
 */
export function whyNoObjectStore(): string | undefined {
  if (process.env['TEST_LONG'] !== '1' && process.env['TEST_FILES_STORE'] === undefined) {
    return 'only by npm run test:long';
  }
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/bin'];
  const missing = PROGRAMS.filter(
    (name) => !folders.some((one) => existsSync(path.join(one, name))),
  );
  if (missing.length === 0) {
    return undefined;
  }
  const why = `${missing.join(', ')} not installed (Debian: ceph-mon ceph-osd radosgw)`;
  if (process.env['CI'] === 'true' && process.getuid?.() === 0) {
    throw new Error(`The object store for tests is missing: ${why}`);
  }
  return why;
}

/** Starts one for a whole run: services of specs keep contents in it. */
export async function objectStoreOfTheRun(): Promise<AnObjectStore> {
  const store = await anObjectStore();
  process.env[OF_THE_RUN] = JSON.stringify(store.access);
  return store;
}

/** Settings of a service of a spec: a new bucket, in a run with an object store. */
export async function filesStoreOfTheRun(): Promise<Readonly<Record<string, string>>> {
  const access = process.env[OF_THE_RUN];
  return access === undefined ? {} : (await newBucket(JSON.parse(access), 'files')).settings;
}

/** Ids of all contents that a service has stored, wherever. */
export async function storedContents(config: Config): Promise<string[]> {
  const { filesStore, s3AccessKeyId, s3SecretAccessKey } = config.of(StoreSettings);
  if (filesStore === 'folder') {
    const root = path.join(config.dataDir, 'files');
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .filter(isContent);
  }
  const client = connect({
    endpoint: filesStore.endpoint ?? '',
    accessKeyId: s3AccessKeyId ?? '',
    secretAccessKey: s3SecretAccessKey ?? '',
  });
  const names = await keysIn(client, filesStore.bucket);
  client.destroy();
  return names.map((key) => path.basename(key)).filter(isContent);
}

const isContent = (name: string) => !name.startsWith('.');

/** Starts a cluster of one monitor, one store in memory and one gateway, on free ports. */
export async function anObjectStore(): Promise<AnObjectStore> {
  const folder = await temporaryFolder('ceph');
  const [monitorPort, gatewayPort] = [await freePort(), await freePort()];
  const cluster = new Cluster(folder, monitorPort, gatewayPort);
  await cluster.start();
  return cluster;
}

class Cluster implements AnObjectStore {
  readonly access: StoreAccess;
  readonly #children: ChildProcess[] = [];
  #gateway: ChildProcess | undefined;

  constructor(
    private readonly folder: string,
    private readonly monitorPort: number,
    private readonly gatewayPort: number,
  ) {
    this.access = {
      endpoint: `http://127.0.0.1:${gatewayPort}`,
      accessKeyId: randomBytes(10).toString('hex'),
      secretAccessKey: randomBytes(20).toString('hex'),
    };
  }

  async start(): Promise<void> {
    const { accessKeyId, secretAccessKey } = this.access;
    const cluster = randomUUID();
    const store = randomUUID();
    await writeFile(this.#file('ceph.conf'), this.#configuration(cluster));
    await Promise.all(['mon', 'osd', 'rgw'].map((name) => mkdir(this.#file(name))));
    await this.#makeKeys();
    const map = this.#file('monmap');
    const at = `[v2:127.0.0.1:${this.monitorPort}]`;
    await run('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', at, map]);
    await this.#run('ceph-mon', ['--mkfs', '-i', 'a', '--monmap', map]);
    this.#spawn('ceph-mon', ['-f', '-i', 'a']);
    await this.#run('ceph', ['osd', 'new', store, '0']);
    await this.#run('ceph-osd', ['--mkfs', '-i', '0', '--osd-uuid', store]);
    this.#spawn('ceph-osd', ['-f', '-i', '0']);
    const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`];
    const user = ['--uid=tests', '--display-name=tests', ...keys];
    await this.#run('radosgw-admin', ['user', 'create', ...user]);
    await this.revive();
  }

  async newBucket(prefix = 'files'): Promise<BucketOfTests> {
    return newBucket(this.access, prefix);
  }

  async limit(bytes: number | null): Promise<void> {
    const scope = ['--quota-scope=bucket', '--uid=tests'];
    const command = ['quota', bytes === null ? 'disable' : 'enable', ...scope];
    await this.#run('radosgw-admin', ['quota', 'set', ...scope, `--max-size=${bytes ?? -1}`]);
    await this.#run('radosgw-admin', command);
  }

  async kill(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    if (gateway !== undefined && gateway.exitCode === null) {
      const ended = once(gateway, 'exit');
      gateway.kill('SIGKILL');
      await ended;
    }
  }

  async revive(): Promise<void> {
    if (this.#gateway !== undefined) {
      return;
    }
    const gateway = this.#spawn('radosgw', ['-f', '-n', 'client.admin']);
    this.#gateway = gateway;
    const isReady = async () => {
      if (gateway.exitCode !== null) {
        throw new Error('The gateway of the object store did not start');
      }
      return answers(this.access.endpoint);
    };
    await until('the gateway of the object store', isReady, PROCESS_SECONDS);
  }

  async stop(): Promise<void> {
    const ends = this.#children
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      .map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      });
    await Promise.all(ends);
    await rm(this.folder, { recursive: true, force: true });
  }

  async #makeKeys(): Promise<void> {
    const keyring = this.#file('keyring');
    const everything = ['--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'];
    const names = ['mon.', 'client.admin', 'osd.0'];
    for (const [n, name] of names.entries()) {
      const create = n === 0 ? ['--create-keyring'] : [];
      const mon = name === 'osd.0' ? 'allow profile osd' : 'allow *';
      const rights = ['--cap', 'mon', mon, ...everything];
      await run('ceph-authtool', [keyring, ...create, '--gen-key', '-n', name, ...rights]);
    }
  }

  async #run(program: string, parameters: readonly string[]): Promise<void> {
    await run(program, parameters, { env: this.#env(), timeout: START_MS });
  }

  #spawn(program: string, parameters: readonly string[]): ChildProcess {
    // Ends with this process, however that ends.
    const command = ['--pdeathsig', 'KILL', '--', program, ...parameters];
    const child = spawn('setpriv', command, { env: this.#env(), stdio: 'ignore' });
    this.#children.push(child);
    return child;
  }

  #env(): NodeJS.ProcessEnv {
    return { PATH: `${process.env['PATH']}:/usr/bin`, CEPH_CONF: this.#file('ceph.conf') };
  }

  #file(name: string): string {
    return path.join(this.folder, name);
  }

  #configuration(cluster: string): string {
    return [
      '[global]',
      `fsid = ${cluster}`,
      `mon_host = v2:127.0.0.1:${this.monitorPort}`,
      `keyring = ${this.#file('keyring')}`,
      `run_dir = ${this.folder}`,
      `log_file = ${this.folder}/$name.log`,
      'admin_socket = ',
      `mon_data = ${this.#file('mon')}`,
      `osd_data = ${this.#file('osd')}`,
      `rgw_data = ${this.#file('rgw')}`,
      'public_addr = 127.0.0.1',
      'cluster_addr = 127.0.0.1',
      'osd_objectstore = memstore',
      'memstore_device_bytes = 2147483648',
      'osd_pool_default_size = 1',
      'osd_pool_default_min_size = 1',
      'osd_pool_default_pg_num = 1',
      'osd_pool_default_pgp_num = 1',
      'osd_pool_default_pg_autoscale_mode = off',
      'osd_crush_chooseleaf_type = 0',
      'mon_allow_pool_size_one = true',
      'mon_data_avail_crit = 0',
      'mon_data_avail_warn = 0',
      'mon_max_pg_per_osd = 1000',
      `rgw_frontends = beast endpoint=127.0.0.1:${this.gatewayPort}`,
      '',
    ].join('\n');
  }
}

async function newBucket(access: StoreAccess, prefix: string): Promise<BucketOfTests> {
  const Bucket = `tests-${randomBytes(6).toString('hex')}`;
  const client = connect(access);
  await client.send(new CreateBucketCommand({ Bucket }));
  const endpoint = encodeURIComponent(access.endpoint);
  const address = `s3://${Bucket}/${prefix}?endpoint=${endpoint}&region=default&path-style=true`;
  return {
    address,
    settings: {
      GATEFOLD_FILES_STORE: address,
      GATEFOLD_S3_ACCESS_KEY_ID: access.accessKeyId,
      GATEFOLD_S3_SECRET_ACCESS_KEY: access.secretAccessKey,
    },
    keys: () => keysIn(client, Bucket),
    unfinished: async () => {
      const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
      return (Uploads ?? []).map(({ Key = '' }) => Key);
    },
    beginUploads: async (keys) => {
      for (const Key of keys) {
        await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      }
    },
    empty: async () => {
      for (const Key of await keysIn(client, Bucket)) {
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
      }
    },
  };
}

function connect({ endpoint, accessKeyId, secretAccessKey }: StoreAccess): S3Client {
  return new S3Client({
    endpoint,
    region: 'default',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
}

async function keysIn(client: S3Client, Bucket: string): Promise<string[]> {
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket }));
  return (Contents ?? []).map(({ Key = '' }) => Key);
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
