import { Attribute, Change, Client } from 'ldapts';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { freePort } from './free-port.js';
import { temporaryFolder } from './temporary-folder.js';
import { PROCESS_SECONDS, until, within } from './until.js';

/*
 * A directory of the tests: the program slapd of Debian's package of that name, as a process of its own on
 * free ports of the loopback address, with its own configuration. The service of the system is not touched.
 */

const SLAPD = ['/usr/sbin/slapd', '/usr/local/sbin/slapd', '/usr/local/libexec/slapd'];
const SCHEMAS = '/etc/ldap/schema';
const MODULES = '/usr/lib/ldap';

export const SUFFIX = 'dc=example,dc=org';
export const PEOPLE = `ou=people,${SUFFIX}`;
export const GROUPS = `ou=groups,${SUFFIX}`;
const ROOT = { dn: `cn=root,${SUFFIX}`, password: 'root of the tests' };
/** The only one who may search. */
export const SERVICE = { dn: `cn=gatefold,${SUFFIX}`, password: 'gatefold of the tests' };

/** A user of the directory. */
export interface DirectoryPerson {
  readonly uid: string;
  readonly password: string;
  readonly cn?: string;
  readonly mail?: string;
}

export interface TestDirectory {
  /** For `GATEFOLD_LDAP_URL`. */
  readonly url: string;
  readonly tlsUrl: string;
  /** The certificate of the server, for the name `localhost`, as its own authority. */
  readonly caFile: string;
  addPerson(person: DirectoryPerson): Promise<void>;
  /** Adds, changes or removes the attributes of a user; null removes. */
  changePerson(uid: string, attributes: Readonly<Record<string, string | null>>): Promise<void>;
  renamePerson(uid: string, newUid: string): Promise<void>;
  removePerson(uid: string): Promise<void>;
  /** Sets the members of a group; without any it is removed. */
  setGroup(cn: string, uids: readonly string[]): Promise<void>;
  /** Ends the process, which keeps its data. */
  pause(): Promise<void>;
  /** Starts it again at the same addresses. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

function programOf(candidates: readonly string[]): string | undefined {
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Whether specs with a directory can run. As root in CI they have to; elsewhere they are skipped, with a
 * line that says so.
 */
export function directoryIsThere(): boolean {
  const missing = [
    ...(programOf(SLAPD) === undefined ? ['slapd'] : []),
    ...(programOf(['/usr/bin/openssl', '/usr/local/bin/openssl']) === undefined ? ['openssl'] : []),
  ];
  if (missing.length === 0) {
    return true;
  }
  const complaint = `${missing.join(' and ')} not installed: logins by a directory are not tested`;
  if (process.env['CI'] === 'true' && process.getuid?.() === 0) {
    throw new Error(complaint);
  }
  process.stderr.write(`SKIPPED  ${complaint}\n`);
  return false;
}

export async function startDirectory(): Promise<TestDirectory> {
  const folder = await temporaryFolder('directory');
  const caFile = path.join(folder, 'certificate.pem');
  const request =
    'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost';
  const files = ['-keyout', path.join(folder, 'key.pem'), '-out', caFile];
  execFileSync('openssl', [...request.split(' '), ...files], { stdio: 'ignore' });
  await mkdir(path.join(folder, 'data'));
  const configuration = path.join(folder, 'slapd.conf');
  await writeFile(configuration, configurationIn(folder, caFile));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const addresses = [`ldap://127.0.0.1:${port}`, `ldaps://127.0.0.1:${tlsPort}`];
  let running: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    running = await startSlapd(configuration, addresses, [port, tlsPort]);
  };
  const end = async (): Promise<void> => {
    const closed = running && once(running, 'close');
    running?.kill('SIGTERM');
    await (closed && within('the end of slapd', closed, PROCESS_SECONDS));
    running = undefined;
  };
  const asRoot = async <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    const client = new Client({ url: addresses[0] ?? '', timeout: 5000, connectTimeout: 5000 });
    try {
      await client.bind(ROOT.dn, ROOT.password);
      return await work(client);
    } finally {
      await client.unbind();
    }
  };
  await start();
  await asRoot(async (client) => {
    await client.add(SUFFIX, {
      objectClass: ['dcObject', 'organization'],
      dc: 'example',
      o: 'Tests',
    });
    await client.add(PEOPLE, { objectClass: 'organizationalUnit', ou: 'people' });
    await client.add(GROUPS, { objectClass: 'organizationalUnit', ou: 'groups' });
    await client.add(SERVICE.dn, {
      objectClass: ['organizationalRole', 'simpleSecurityObject'],
      cn: 'gatefold',
      userPassword: SERVICE.password,
    });
  });
  return {
    url: `ldap://localhost:${port}`,
    tlsUrl: `ldaps://localhost:${tlsPort}`,
    caFile,
    addPerson: ({ uid, password, cn = uid, mail }) =>
      asRoot((client) =>
        client.add(personDn(uid), {
          objectClass: 'inetOrgPerson',
          uid,
          cn,
          sn: cn,
          userPassword: password,
          ...(mail !== undefined && { mail }),
        }),
      ),
    changePerson: (uid, attributes) =>
      asRoot(async (client) => {
        const { searchEntries } = await client.search(personDn(uid), { scope: 'base' });
        for (const [type, value] of Object.entries(attributes)) {
          const isThere = searchEntries[0]?.[type]?.length;
          if (value !== null || isThere) {
            await client.modify(personDn(uid), change(type, value));
          }
        }
      }),
    renamePerson: (uid, newUid) =>
      asRoot((client) => client.modifyDN(personDn(uid), `uid=${newUid}`)),
    removePerson: (uid) => asRoot((client) => client.del(personDn(uid))),
    setGroup: (cn, uids) =>
      asRoot(async (client) => {
        const dn = `cn=${cn},${GROUPS}`;
        await client.del(dn).catch(() => {});
        if (uids.length > 0) {
          await client.add(dn, { objectClass: 'groupOfNames', cn, member: uids.map(personDn) });
        }
      }),
    pause: end,
    resume: start,
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function personDn(uid: string): string {
  return `uid=${uid},${PEOPLE}`;
}

function change(type: string, value: string | null): Change {
  const modification = new Attribute({ type, values: value === null ? [] : [value] });
  return new Change({ operation: value === null ? 'delete' : 'replace', modification });
}

function configurationIn(folder: string, caFile: string): string {
  return `
${['core', 'cosine', 'nis', 'inetorgperson'].map((name) => `include ${SCHEMAS}/${name}.schema`).join('\n')}
modulepath ${MODULES}
moduleload back_mdb
# As many directories do: a bind without a password succeeds, as nobody.
allow bind_anon_cred bind_anon_dn
pidfile ${folder}/slapd.pid
argsfile ${folder}/slapd.args
TLSCertificateFile ${caFile}
TLSCertificateKeyFile ${folder}/key.pem
database mdb
maxsize 16777216
suffix "${SUFFIX}"
rootdn "${ROOT.dn}"
rootpw "${ROOT.password}"
directory ${folder}/data
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${SERVICE.dn}" read by * none
`;
}

async function startSlapd(
  configuration: string,
  addresses: readonly string[],
  ports: readonly number[],
): Promise<ChildProcess> {
  const child = spawn(
    programOf(SLAPD) ?? 'slapd',
    ['-f', configuration, '-h', addresses.join(' '), '-d', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  for (const port of ports) {
    const listens = async () => {
      if (child.exitCode !== null) {
        throw new Error(`slapd did not start: ${complaints}`);
      }
      return isListening(port);
    };
    await until('slapd to listen', listens, PROCESS_SECONDS);
  }
  return child;
}

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
