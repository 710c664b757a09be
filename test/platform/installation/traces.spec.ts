import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { aServiceProcess, type ServiceProcess } from '../../support/a-service-process.js';
import { ApiClient } from '../../support/api-client.js';
import { describeLong } from '../../support/long.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { found, until } from '../../support/until.js';

const ADMIN = { userId: 'admin', password: 'a good password' };
const NEWS = '/index.php/apps/news/api/v1-3';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
/** Says that the trace is not to be kept, which is not for callers to say. */
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-00`;

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

/** What an OTLP/JSON request contains. */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

/** A collector, and a publisher whose address has a key. */
async function aCollector() {
  const bodies: string[] = [];
  const server: Server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response
        .setHeader('content-type', 'application/rss+xml')
        .end(
          '<rss version="2.0"><channel><title>Feed</title><item><title>1</title></item></channel></rss>',
        );
      return;
    }
    bodies.push(await text(request));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resources = () => bodies.flatMap((body) => (JSON.parse(body) as Export).resourceSpans);
  return {
    url,
    bodies,
    resources,
    spans: () => resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describeLong('GATEFOLD_TRACES=otlp', () => {
  let database: TestDatabase;
  let collector: Awaited<ReturnType<typeof aCollector>>;
  let service: ServiceProcess;
  let admin: ApiClient;
  beforeAll(async () => {
    database = await createTestDatabase();
    collector = await aCollector();
    service = await aServiceProcess(database.url, {
      GATEFOLD_TRACES: 'otlp',
      GATEFOLD_LOG_FORMAT: 'json',
      GATEFOLD_LOG_LEVEL: 'debug',
      GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
      GATEFOLD_TRUSTED_PROXIES: '127.0.0.1/32',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    admin = new ApiClient(service.url, ADMIN);
  });
  afterAll(async () => {
    await service.kill();
    await collector.close();
    await database.drop();
  });

  const exported = (isIt: (span: ExportedSpan) => boolean): Promise<ExportedSpan> =>
    found(`a span with ${isIt}`, () => collector.spans().find(isIt));

  const attributesOf = ({ attributes }: ExportedSpan) =>
    Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
    );

  it('has a request and its statements in one trace, named by the route', async () => {
    await admin.call('GET', `${NEWS}/items?type=3&search=private`, {
      headers: { traceparent: TRACEPARENT },
    });

    const request = await exported(({ name }) => name === 'GET /apps/news/api/v1-3/items');
    expect(request).toEqual(
      expect.objectContaining({ traceId: TRACE, parentSpanId: 'b7ad6b7169203331' }),
    );
    expect(attributesOf(request)).toEqual({
      'http.request.method': 'GET',
      'http.route': '/apps/news/api/v1-3/items',
      'http.response.status_code': 200,
    });
    const statements = collector.spans().filter((span) => 'db.query.text' in attributesOf(span));
    const own = statements.filter(({ traceId }) => traceId === TRACE);
    expect(own.length).toBeGreaterThanOrEqual(2);
    expect(new Set(own.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request.spanId]));
    const line = service
      .log()
      .split('\n')
      .find((text) => text.includes(`${NEWS}/items 200`));
    expect(JSON.parse(line ?? '{}')).toEqual(expect.objectContaining({ traceId: TRACE }));
  });

  it('has outgoing requests by host, without their addresses', async () => {
    const address = `${collector.url.replace('//', '//reader:hunter2@')}/feed?key=hunter2`;
    const { status } = await admin.post(`${NEWS}/feeds`, { url: address, folderId: null });

    expect(status).toBe(200);
    const call = await exported((span) => 'server.address' in attributesOf(span));
    expect(attributesOf(call)).toEqual({
      'http.request.method': 'GET',
      'server.address': new URL(collector.url).host,
      'http.response.status_code': 200,
    });
    const fetch = collector.spans().find(({ name }) => name === 'fetch feed');
    expect(call.parentSpanId).toBe(fetch?.spanId);
  });

  it('names the service as OpenTelemetry’s own settings say', () => {
    const attributes = collector.resources().flatMap(({ resource }) => resource.attributes);

    expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'gatefold' } });
    expect(attributes).toContainEqual({
      key: 'deployment.environment.name',
      value: { stringValue: 'test' },
    });
  });

  it('has neither credentials nor input of users, and stops with the last spans sent', async () => {
    await admin.get(`${NEWS}/folders?last=1`);

    expect(await service.stop()).toBe(0);
    expect(collector.spans().map(({ name }) => name)).toContain('GET /apps/news/api/v1-3/folders');
    const everything = collector.bodies.join('\n');
    for (const secret of ['hunter2', 'private', ADMIN.password, 'last=1']) {
      expect(everything).not.toContain(secret);
    }
  });
});

describeLong('A collector that is away', () => {
  it('costs a line of the log, and neither requests nor the stop', async () => {
    const database = await createTestDatabase();
    const service = await aServiceProcess(database.url, {
      GATEFOLD_TRACES: 'otlp',
      GATEFOLD_LOG_FORMAT: 'json',
      GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    try {
      const { status } = await new ApiClient(service.url, ADMIN).get(`${NEWS}/folders`);
      expect(status).toBe(200);
      await until('the line about the collector', () =>
        service.log().includes('"context":"Traces"'),
      );
    } finally {
      expect(await service.stop()).toBe(0);
      await database.drop();
    }
    const lines = service.log().trimEnd().split('\n');
    expect(() => lines.map((line) => JSON.parse(line) as unknown)).not.toThrow();
  });
});
