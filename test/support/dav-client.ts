import { XMLParser } from 'fast-xml-parser';
import type { Answer, CallOptions } from './api-client.js';
import type { TestUser } from './start-app.js';

/** One resource of a multistatus response, properties by local name. */
export interface DavResource {
  readonly href: string;
  /** Properties with status 200. Empty ones are ''. */
  readonly found: Readonly<Record<string, unknown>>;
  /** Status of every property. */
  readonly statuses: Readonly<Record<string, number>>;
}

const parser = new XMLParser({
  removeNSPrefix: true,
  parseTagValue: false,
  isArray: (name) => name === 'response' || name === 'propstat' || name === 'activelock',
});

interface ParsedMultistatus {
  readonly multistatus: {
    readonly response?: readonly {
      readonly href: string;
      readonly propstat: readonly { readonly prop: object | string; readonly status: string }[];
    }[];
  };
}

export function readMultistatus({ status, text }: Answer): DavResource[] {
  if (status !== 207) {
    throw new Error(`Not a multistatus but ${status}: ${text}`);
  }
  const { multistatus } = parser.parse(text) as ParsedMultistatus;
  return (multistatus.response ?? []).map(({ href, propstat }) => {
    const found: Record<string, unknown> = {};
    const statuses: Record<string, number> = {};
    for (const { prop, status: line } of propstat) {
      for (const [name, value] of Object.entries(prop)) {
        statuses[name] = Number(line.split(' ')[1]);
        if (statuses[name] === 200) {
          found[name] = value;
        }
      }
    }
    return { href, found, statuses };
  });
}

/** The message of an error response. */
export function readDavError({ text }: Answer): { exception: string; message: string } {
  return (parser.parse(text) as { error: { exception: string; message: string } }).error;
}

export const NAMESPACES =
  'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"';

/** The files of a user, as a client sees them. Paths are below the user's top folder. */
export class DavClient {
  readonly root: string;

  constructor(
    readonly user: TestUser,
    root?: string,
  ) {
    this.root = root ?? `/remote.php/dav/files/${user.credentials.userId}`;
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return this.user.call(method, `${this.root}${path}`, options);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('GET', path, { headers });
  }

  put(path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('PUT', path, { body, headers });
  }

  folder(path: string): Promise<Answer> {
    return this.call('MKCOL', path);
  }

  move(from: string, to: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('MOVE', from, { headers: { destination: this.root + to, ...headers } });
  }

  copy(from: string, to: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('COPY', from, { headers: { destination: this.root + to, ...headers } });
  }

  remove(path: string): Promise<Answer> {
    return this.call('DELETE', path);
  }

  /** @param properties with their usual prefixes, such as `d:getetag` */
  async properties(
    path: string,
    properties: readonly string[],
    depth = '0',
  ): Promise<DavResource[]> {
    const prop = properties.map((name) => `<${name}/>`).join('');
    return readMultistatus(
      await this.call('PROPFIND', path, {
        headers: { depth },
        body: `<?xml version="1.0"?><d:propfind ${NAMESPACES}><d:prop>${prop}</d:prop></d:propfind>`,
      }),
    );
  }

  /** Properties of one node, by local name. */
  async known(path: string, properties: readonly string[]): Promise<Record<string, unknown>> {
    const [resource] = await this.properties(path, properties);
    return { ...resource?.found };
  }

  /** One property of one node. */
  async property(path: string, property: string): Promise<unknown> {
    return (await this.known(path, [property]))[property.replace(/^.*:/, '')];
  }

  /** @param instructions such as `<d:set><d:prop>…</d:prop></d:set>` */
  async patch(path: string, instructions: string): Promise<DavResource> {
    const answer = await this.call('PROPPATCH', path, {
      body: `<d:propertyupdate ${NAMESPACES}>${instructions}</d:propertyupdate>`,
    });
    const [resource] = readMultistatus(answer);
    if (resource === undefined) {
      throw new Error(`No resource in ${answer.text}`);
    }
    return resource;
  }

  /** Names in a folder, with a slash after folders. */
  async names(path: string): Promise<string[]> {
    const [self, ...members] = await this.properties(path, ['d:resourcetype'], '1');
    const prefix = self?.href.length ?? 0;
    return members.map(({ href }) => decodeURIComponent(href.slice(prefix)));
  }
}
